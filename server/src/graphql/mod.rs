//! The GraphQL door. It knows async-graphql and the use cases; of HTTP it knows one header's name.
//!
//! Reading order: `engine` (one request from body to answer) → `query` and `mutation` (the root fields) → `object` (what
//! they answer with).

/// Documents that were parsed before.
pub mod documents;
/// One request, from its body to its answer.
pub mod engine;
/// What a document may ask for, counted before it runs.
pub mod limits;
/// The body of a request.
pub mod request;
/// What a document may cost, counted before it is parsed.
pub mod tokens;

/// Who asks, in which language.
pub mod caller;
/// Orders, read in batches.
pub mod loader;

/// Changing.
pub mod mutation;
/// Watching.
pub mod subscription;
/// What the fields answer with.
pub mod object;
/// Reading.
pub mod query;

/// Amounts of money as people read them.
pub mod amount;
/// Errors as they leave the house.
pub mod error;
/// What people read.
pub mod messages;

/// Numbers with a default.
pub mod defaulted;
/// Scalars of our own.
pub mod scalar;

use async_graphql::SDLExportOptions;

/// The schema. It holds no data: everything about a request comes with the request.
pub type Schema = async_graphql::Schema<query::Query, mutation::Mutation, subscription::Subscription>;

/// The response header of a replayed placement, with the value `true`.
pub const REPLAY_HEADER: &str = "x-masterorder-idempotent-replay";

/// Builds the schema.
pub fn schema() -> Schema {
    Schema::build(query::Query, mutation::Mutation, subscription::Subscription)
        .register_output_type::<object::problem::PlacementProblem>()
        .limit_complexity(limits::MAX_COMPLEXITY)
        .limit_recursive_depth(limits::MAX_NESTING)
        .finish()
}

/// The schema in SDL.
pub fn sdl() -> String {
    schema().sdl_with_options(
        SDLExportOptions::new()
            .prefer_single_line_descriptions()
            .include_specified_by()
            .use_space_ident(),
    )
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
