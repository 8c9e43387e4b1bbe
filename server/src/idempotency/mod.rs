//! What makes two requests the same request, and for how long. Policy only, no SQL.

/// Compares a stored claim with a request.
pub mod decision;
/// The versioned digest of a validated command.
pub mod fingerprint;
/// Purging outcomes whose time is over.
pub mod retention;

/// The scope of a placement's key beside its tenant: the use case, not the door.
pub const PLACE_ORDER: &str = "placeOrder";
