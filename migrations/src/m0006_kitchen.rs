//! Kitchen tickets: exactly one per placed order, by constraint.

crate::column::migration!(
    "m0006_kitchen",
    "
CREATE TABLE kitchen_tickets (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL,
  order_id {uuid} NOT NULL CONSTRAINT kitchen_tickets_order_key UNIQUE REFERENCES orders,
  state TEXT NOT NULL CHECK (state IN ('RECEIVED', 'COOKING', 'READY', 'SERVED', 'CANCELLED')),
  created_at_ms {int} NOT NULL,
  updated_at_ms {int} NOT NULL,
  version {int} NOT NULL
) {strict};

CREATE INDEX kitchen_tickets_board_idx ON kitchen_tickets (tenant_id, state, created_at_ms)
",
    "DROP TABLE kitchen_tickets"
);
