//! Random numbers that a seed gives again (SplitMix64).

use crate::key::RandomBytes;

/// A source of them.
#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    /// The same numbers for the same seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// So often out of a hundred.
    pub(crate) fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }

    /// A time between two others.
    pub(crate) fn between(&mut self, from_ms: i64, to_ms: i64) -> i64 {
        let span = u64::try_from(to_ms - from_ms).unwrap_or(0);
        from_ms + i64::try_from(self.below(span + 1)).unwrap_or(0)
    }

    /// For a key.
    pub(crate) fn bytes(&mut self) -> RandomBytes {
        let (a, b) = (self.next(), self.next());
        ((u128::from(a) << 64) | u128::from(b)).to_be_bytes()
    }
}
