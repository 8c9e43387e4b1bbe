//! What the fields answer with: views of what the use cases return. A view borrows where it can; only what is selected is
//! copied. Below the root every field that reads the database is nullable, so that a failure there takes nothing else with
//! it.

/// Languages.
pub mod language;
/// Money.
pub mod money;

/// The menu.
pub mod menu;
/// The shop.
pub mod shop;
/// Table sessions.
pub mod table_session;
/// API keys.
pub mod api_key;

/// Orders as they are now.
pub mod order;
/// Orders as they were placed.
pub mod receipt;

/// A union that stays an object.
pub mod never_null;
/// What a person needs to go on after a "no".
pub mod details;
/// What a placement answers.
pub mod placement;
/// Why a placement was not taken.
pub mod problem;
/// What became of a key.
pub mod status;

/// The audit trail.
pub mod audit;
/// Kitchen tickets.
pub mod kitchen;

/// Brings a number into the range of GraphQL's `Int`, which ends at 2^31. What does not fit is a number that no shop has.
pub(super) fn int(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(if number < 0 { i32::MIN } else { i32::MAX })
}
