//! Finished tickets by when they were finished: a kitchen shows those of the last minutes, among all that ever were.

crate::column::migration!(
    "m0012_finished_tickets",
    "
CREATE INDEX kitchen_tickets_finished_idx ON kitchen_tickets (tenant_id, updated_at_ms) WHERE state IN ('SERVED', 'CANCELLED')
",
    "DROP INDEX kitchen_tickets_finished_idx"
);
