//! The MasterOrder server: a mobile-order GraphQL API that places every order exactly once.
//!
//! Reading order: `ordering` is what the product exists for; `store` is the only room that knows SQL; `graphql` and
//! `http` are doors.

/// What every use case needs, put together once.
pub mod app;
/// The audit trail.
pub mod audit;
/// The shop and its menu.
pub mod catalog;
/// The command line.
pub mod cli;
/// The clock, passed in.
pub mod clock;
/// Faults that tests inject.
pub mod faults;
/// The GraphQL door.
pub mod graphql;
/// HTTP.
pub mod http;
/// What makes two requests the same request.
pub mod idempotency;
/// The kitchen's side of an order.
pub mod kitchen;
/// The languages of the house.
pub mod lang;
/// Live feeds.
pub mod live;
/// What an operator can measure.
pub mod metrics;
/// The heart: placing an order exactly once.
pub mod ordering;
/// News for the outside.
pub mod outbox;
/// Who asks.
pub mod principal;
/// Why a use case could not answer.
pub mod refusal;
/// Composition root of a serving process.
pub mod serve;
/// API keys.
pub mod staff;
/// The database.
pub mod store;
/// Table sessions.
pub mod tables;
