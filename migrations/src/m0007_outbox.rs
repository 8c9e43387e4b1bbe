//! Outbox events: written with what they tell, carried away later. One `order.placed` per order, by constraint.

crate::column::migration!(
    "m0007_outbox",
    "
CREATE TABLE outbox_events (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL,
  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 60),
  order_id {uuid} NOT NULL REFERENCES orders,
  payload TEXT NOT NULL,
  created_at_ms {int} NOT NULL,
  dispatched_at_ms {int}
) {strict};

CREATE UNIQUE INDEX outbox_events_placed_key ON outbox_events (order_id) WHERE kind = 'order.placed';
CREATE INDEX outbox_events_waiting_idx ON outbox_events (created_at_ms) WHERE dispatched_at_ms IS NULL
",
    "DROP TABLE outbox_events"
);
