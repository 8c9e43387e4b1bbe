//! The numbers, each with its reason, and the pure arithmetic of waiting. *Units*: ms unless named otherwise.

/// An attempt without an answer is over. Above the server's answer budget of 5 s, so that a slow answer is an answer.
pub const ATTEMPT_TIMEOUT_MS: u32 = 10_000;

/// Attempts that may stay without a usable answer before the SDK asks what became of the order. *Units*: count.
pub const MAX_TRIES: u8 = 4;

/// First bound of the pause before another attempt; it doubles with every attempt.
pub const BACKOFF_MS: u32 = 500;

/// Last bound of that pause: a phone that is back in the network should notice soon.
pub const MAX_BACKOFF_MS: u32 = 8_000;

/// The longest pause that is waited out while nobody knows what became of the order. Our server asks for a few seconds; a
/// proxy that names a day, or a date far away, speaks to robots.
pub const MAX_RETRY_AFTER_MS: u32 = 30_000;

/// Bound of the pause when the browser says that the network is back: everybody in the room hears it at the same moment.
pub const ONLINE_MS: u32 = 300;

/// Times that a known "not placed yet" is waited out: cooldown and busy tables end within seconds. *Units*: count.
pub const MAX_WAITS: u8 = 20;

/// Looks into the order history. *Units*: count.
pub const MAX_POLLS: u8 = 5;

/// Pause before a look into the history, times its number.
pub const POLL_MS: u32 = 400;

/// How long a confirmation is the guest's will: later nothing is placed without asking again. Cold soup is no service.
pub const RESEND_MS: i64 = 120_000;

/// The shop's default retention: an older key may have been forgotten, and would be a new operation.
pub const RETENTION_MS: i64 = 72 * 3_600_000;

/// How long to wait for another tab. Above one attempt of its own with the pauses around it.
pub const LOCK_TIMEOUT_MS: u32 = 30_000;

/// Attempt `n` (from 1) that brought no usable answer is followed by another one: it was not the last, and nobody asks for a
/// pause that is too long.
pub fn is_repeated(n: u8, retry_after_ms: Option<u32>) -> bool {
    n < MAX_TRIES && retry_after_ms.unwrap_or(0) <= MAX_RETRY_AFTER_MS
}

/// The pause before attempt `n` (from 1) is repeated: full jitter below a doubling bound, after what the server asked for.
pub fn pause_ms(n: u8, retry_after_ms: Option<u32>, jitter: u32) -> u32 {
    let doubled = BACKOFF_MS << u32::from(n.saturating_sub(1).min(8));
    let spread_ms = spread_ms(doubled.min(MAX_BACKOFF_MS), jitter);
    retry_after_ms.unwrap_or(0).saturating_add(spread_ms)
}

/// A pause up to a bound. *Shape*: all alike, as `jitter` is.
pub fn spread_ms(bound_ms: u32, jitter: u32) -> u32 {
    ((u64::from(jitter) * (u64::from(bound_ms) + 1)) >> 32) as u32
}
