//! What makes two requests the same request. Policy only, no SQL.

/// Compares a stored claim with a request.
pub mod decision;
/// The versioned digest of a validated command.
pub mod fingerprint;

/// The scope of a placement's key beside its tenant: the use case, not the door.
pub const PLACE_ORDER: &str = "placeOrder";
