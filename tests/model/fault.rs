//! Faults that are put into the protocol. A model that can not fail proves nothing: each of these must be caught.

/// One guard less, or one thing done as one would do it at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The look-up for earlier orders is a CTE of the statement that locks the table: its snapshot is from before the wait.
    MergedLookup,
    /// Claim and read are one statement: what it reads is from before the wait.
    MergedClaim,
    /// A claim that neither inserted nor found a row is not made again.
    OneClaimRound,
    /// The claim is committed in a transaction of its own, before the order.
    TwoTransactions,
    /// A conflict deletes the claim under the key, whoever made it.
    ReleasesForeignClaims,
    /// The purge does not look whether a claim has an outcome.
    PurgesUnfinished,
    /// Withdrawing does not look whether the key placed an order.
    WithdrawsBlindly,
    /// Withdrawing stores nothing where it finds an order, and leaves the key free.
    ForgetsFoundOrders,
    /// `orders` has no unique index on the checkoutId.
    NoCheckoutIndex,
    /// The table's row is not locked.
    NoTableLock,
    /// Orders under key 1 lock stock before the table.
    SwappedLocks,
    /// The answer goes out before COMMIT.
    AnswersBeforeCommit,
}
