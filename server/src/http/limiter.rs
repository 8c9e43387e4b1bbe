//! How many requests one caller may send: a token bucket for each guest's device, each key, and each address without valid
//! credentials. Of this node alone: a fair share for everybody, and no accounting.

use crate::app::RateLimits;
use crate::principal::{Principal, Role};
use crate::refusal::Refusal;
use crate::tables::guessing::network;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;

/// Seconds' worth of requests that may come at once: a page that opens, a till that sends what it kept while it was offline.
const BURST_SECONDS: u32 = 10;

type Buckets = Option<DefaultKeyedRateLimiter<String>>;

/// The buckets of one node.
pub struct Limiter {
    guests: Buckets,
    keys: Buckets,
    addresses: Buckets,
    clock: DefaultClock,
}

impl Limiter {
    /// Makes empty buckets.
    pub fn new(limits: RateLimits) -> Self {
        Self {
            guests: buckets(limits.per_guest),
            keys: buckets(limits.per_key),
            addresses: buckets(limits.per_address),
            clock: DefaultClock::default(),
        }
    }

    /// Counts a request of a caller.
    ///
    /// *Errors*: `RateLimited` when there were too many.
    pub fn count(&self, principal: &Principal) -> Result<(), Refusal> {
        match principal.role {
            Role::Guest(session) => self.take(&self.guests, format!("{session}/{}", principal.device)),
            Role::Staff(_) | Role::Integrator(_) => self.take(&self.keys, principal.caller()),
        }
    }

    /// Counts a request without valid credentials.
    ///
    /// *Errors*: `RateLimited` when there were too many.
    pub fn count_stranger(&self, address: IpAddr) -> Result<(), Refusal> {
        self.take(&self.addresses, network(address))
    }

    /// Forgets who has not come for a while.
    pub fn tidy(&self) {
        for buckets in [&self.guests, &self.keys, &self.addresses].into_iter().flatten() {
            buckets.retain_recent();
            buckets.shrink_to_fit();
        }
    }

    fn take(&self, buckets: &Buckets, whose: String) -> Result<(), Refusal> {
        let Some(buckets) = buckets else { return Ok(()) };
        buckets.check_key(&whose).map_err(|early| {
            let wait = early.wait_time_from(self.clock.now());
            Refusal::RateLimited(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX).max(1))
        })
    }
}

fn buckets(per_second: u32) -> Buckets {
    let rate = NonZeroU32::new(per_second)?;
    let burst = rate.saturating_mul(NonZeroU32::new(BURST_SECONDS)?);
    Some(RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use masterorder_protocol::ids::{KeyId, TableSessionId, TenantId};
    use std::net::Ipv4Addr;
    use uuid::Uuid;

    fn caller(role: Role, device: &str) -> Principal {
        Principal {
            tenant: TenantId(Uuid::nil()),
            role,
            device: device.into(),
        }
    }

    fn accepted(count: impl Fn() -> Result<(), Refusal>) -> usize {
        (0..100).take_while(|_| count().is_ok()).count()
    }

    #[test]
    fn everybody_has_a_bucket_of_their_own() {
        let limiter = Limiter::new(RateLimits {
            per_guest: 1,
            per_key: 2,
            per_address: 3,
        });
        let guest = |device| caller(Role::Guest(TableSessionId(Uuid::nil())), device);
        assert_eq!(accepted(|| limiter.count(&guest("guest-1"))), 10);
        assert_eq!(accepted(|| limiter.count(&guest("guest-2"))), 10);
        let key = |n| caller(Role::Staff(KeyId(Uuid::from_u128(n))), "key");
        assert_eq!(accepted(|| limiter.count(&key(1))), 20);
        assert_eq!(accepted(|| limiter.count(&key(2))), 20);
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        assert_eq!(accepted(|| limiter.count_stranger(address)), 30);
        let Err(Refusal::RateLimited(after_ms)) = limiter.count(&guest("guest-1")) else {
            panic!("accepted");
        };
        assert!((1..=1_000).contains(&after_ms), "{after_ms}");
        limiter.tidy();
        assert!(limiter.count(&guest("guest-1")).is_err(), "tidying is no amnesty");
    }

    #[test]
    fn zero_is_no_limit() {
        let limiter = Limiter::new(RateLimits::NONE);
        assert_eq!(
            accepted(|| limiter.count_stranger(IpAddr::V4(Ipv4Addr::LOCALHOST))),
            100
        );
    }
}
