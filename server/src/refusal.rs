//! Why a use case could not answer. Nothing was stored; the doors turn it into codes.

use crate::ordering::command::InputError;
use crate::store::Failure;
use masterorder_protocol::codes::Code;

/// A use case's error.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Refusal {
    /// The input does not fit.
    #[error("bad input: {0}")]
    Input(#[from] InputError),
    /// Too many requests or guesses. *Units*: ms until the next one is looked at.
    #[error("rate limited")]
    RateLimited(i64),
    /// No valid credentials. The text says which header.
    #[error("unauthenticated: {0}")]
    Unauthenticated(&'static str),
    /// A valid caller without this right. The text says who has it.
    #[error("forbidden: {0}")]
    Forbidden(&'static str),
    /// Nothing there that this caller may see. The text says what was looked for.
    #[error("not found: {0}")]
    NotFound(&'static str),
    /// The machine could not; trying again later may help.
    #[error("unavailable")]
    Unavailable,
    /// A fault of ours.
    #[error("internal")]
    Internal,
}

impl Refusal {
    /// When `Unavailable` may be tried again. *Units*: ms. The queue bound is 2 s; half of it spreads the crowd.
    const UNAVAILABLE_MS: i64 = 1_000;

    /// When the same request may be tried again. *Units*: ms; `None` when waiting does not help, or nobody knows.
    pub fn retry_after_ms(&self) -> Option<i64> {
        match self {
            Self::Unavailable => Some(Self::UNAVAILABLE_MS),
            Self::RateLimited(after_ms) => Some(*after_ms),
            _ => None,
        }
    }

    /// Nobody said who asks.
    pub const ANONYMOUS: Self = Self::Unauthenticated(
        "send X-Session-Id, X-Session-PIN and X-MasterOrder-Client-Id, or Authorization: Bearer with an API key",
    );

    /// Its code on the wire.
    pub fn code(&self) -> Code {
        match self {
            Self::Input(_) => Code::BadUserInput,
            Self::RateLimited(_) => Code::RateLimited,
            Self::Unauthenticated(_) => Code::Unauthenticated,
            Self::Forbidden(_) => Code::Forbidden,
            Self::NotFound(_) => Code::NotFound,
            Self::Unavailable => Code::Unavailable,
            Self::Internal => Code::Internal,
        }
    }
}

impl From<Failure> for Refusal {
    /// Logs the cause: this is where a failure leaves the house without it.
    fn from(failure: Failure) -> Self {
        if failure.is_internal() {
            tracing::error!(error = %failure, "database operation failed");
            Self::Internal
        } else {
            tracing::warn!(error = %failure, "database operation gave up");
            Self::Unavailable
        }
    }
}
