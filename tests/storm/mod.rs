/// What a swarm is told, and what it tells.
pub mod plan;
/// A proxy that delays, doubles and loses what passes.
pub mod weather;
/// Guests who insist, hang up and send twice.
pub mod guest;
/// Whether what the guests were told is what stands.
pub mod oracle;
