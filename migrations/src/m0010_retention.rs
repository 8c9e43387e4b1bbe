//! An order remembers that the outcome of its key was purged: so that a missing outcome is either a purge or a fault.

crate::column::migration!(
    "m0010_retention",
    "ALTER TABLE orders ADD COLUMN outcome_purged_at_ms {int}",
    "ALTER TABLE orders DROP COLUMN outcome_purged_at_ms"
);
