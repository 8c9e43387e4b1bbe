//! How often a PIN may be guessed. 10,000 PINs are few: after five wrong ones in a row a table session is locked for the
//! address that sent them, longer each time; and after more from anywhere, for everybody. Whoever sits there already, that is,
//! whose device gave the right PIN once, does not notice.

use super::READABLE_AFTER_CLOSE_MS;
use crate::app::App;
use crate::store::writer_queue::Priority;
use crate::store::{self, Failure};
use std::net::IpAddr;

/// Wrong PINs of one address before each lock: more than a person with wet fingers needs.
const PER_ADDRESS: i64 = 5;
/// Wrong PINs of all addresses together before each lock: a party of twenty who all mistype.
const PER_SESSION: i64 = 20;
/// The first lock; every further one is twice as long. *Units*: ms.
const FIRST_LOCK_MS: i64 = 60_000;
/// The longest lock: at five guesses each, all PINs take three weeks. *Units*: ms.
const LONGEST_LOCK_MS: i64 = 15 * 60_000;

/// Wrong PINs are forgotten after a day: no lock lasts that long. *Units*: ms.
const FORGOTTEN_AFTER_MS: i64 = 24 * 3_600_000;

/// Forgets old wrong PINs, and who sat at tables that nobody may read any more.
pub async fn forget(app: &App) -> Result<(), Failure> {
    store::txn::write(&app.db, Priority::Upkeep, async |txn| {
        let now_ms = txn.now_ms().await?;
        store::guesses::forget(txn, now_ms - FORGOTTEN_AFTER_MS).await?;
        store::guesses::unseat(txn, now_ms - READABLE_AFTER_CLOSE_MS).await
    })
    .await
}

/// The network that an address stands for: itself, or its /64 of IPv6, of which one household has a whole one.
pub fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

/// Whose wrong PINs are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those of one address.
    Address,
    /// Those of everybody.
    Session,
}

/// Wrong PINs of a table session in one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guesses {
    /// Whose.
    pub scope: Scope,
    /// How many so far.
    pub wrong: i64,
    /// When the last one came. *Units*: ms since the Unix epoch.
    pub last_wrong_at_ms: i64,
}

impl Guesses {
    /// How long no PIN is looked at. *Units*: ms; `None`: the next one is.
    pub fn locked_for_ms(&self, now_ms: i64) -> Option<i64> {
        let per_lock = match self.scope {
            Scope::Address => PER_ADDRESS,
            Scope::Session => PER_SESSION,
        };
        if self.wrong == 0 || self.wrong % per_lock != 0 {
            return None;
        }
        let doublings = u32::try_from(self.wrong / per_lock - 1).unwrap_or(u32::MAX).min(16);
        let lock_ms = (FIRST_LOCK_MS << doublings).min(LONGEST_LOCK_MS);
        let left_ms = self.last_wrong_at_ms + lock_ms - now_ms;
        (left_ms > 0).then_some(left_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked(scope: Scope, wrong: i64, age_ms: i64) -> Option<i64> {
        let guesses = Guesses {
            scope,
            wrong,
            last_wrong_at_ms: 1_000_000,
        };
        guesses.locked_for_ms(1_000_000 + age_ms)
    }

    #[test]
    fn five_wrong_pins_lock_and_every_further_five_lock_longer() {
        for wrong in [0, 1, 4, 6, 9, 11] {
            assert_eq!(locked(Scope::Address, wrong, 0), None, "{wrong}");
        }
        for (wrong, minutes) in [
            (5, 1),
            (10, 2),
            (15, 4),
            (20, 8),
            (25, 15),
            (30, 15),
            (5_000, 15),
            (i64::MAX - 2, 15),
        ] {
            assert_eq!(locked(Scope::Address, wrong, 0), Some(minutes * 60_000), "{wrong}");
        }
    }

    #[test]
    fn a_lock_ends_to_the_millisecond() {
        assert_eq!(locked(Scope::Address, 5, 59_999), Some(1));
        assert_eq!(locked(Scope::Address, 5, 60_000), None);
    }

    #[test]
    fn an_address_of_ipv6_counts_with_its_network() {
        for (address, expected) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:bbbb::2", "2001:db8:1:2::/64"),
        ] {
            assert_eq!(address.parse().map(network).as_deref(), Ok(expected), "{address}");
        }
    }

    #[test]
    fn everybody_together_has_twenty() {
        assert_eq!(locked(Scope::Session, 19, 0), None);
        assert_eq!(locked(Scope::Session, 5, 0), None);
        assert_eq!(locked(Scope::Session, 20, 0), Some(60_000));
    }
}
