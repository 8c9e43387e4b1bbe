//! A union that stays an object.

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, OutputType, Positioned, ServerResult, Value};
use std::borrow::Cow;

/// Answers with an object even if no fragment of the selection applies: `result { ... on PlacementProblem { code } }` of a
/// placed order is `{}`. async-graphql 7.2.1 answers `null` there, and a client with generated types would take the placed
/// order for a broken answer.
pub struct NeverNull<T>(pub T);

impl<T: OutputType> OutputType for NeverNull<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn qualified_type_name() -> String {
        T::qualified_type_name()
    }

    fn introspection_type_name(&self) -> Cow<'static, str> {
        self.0.introspection_type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        T::create_type_info(registry)
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        match self.0.resolve(ctx, field).await? {
            Value::Null => Ok(Value::Object(Default::default())),
            value => Ok(value),
        }
    }
}
