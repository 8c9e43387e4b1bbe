//! Table sessions: one party at one table. A table has at most one open party.

crate::column::migration!(
    "m0003_table_sessions",
    "
CREATE TABLE table_sessions (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL REFERENCES tenants,
  table_label TEXT NOT NULL CHECK (length(table_label) BETWEEN 1 AND 40),
  pin TEXT NOT NULL CHECK (length(pin) = 4),
  status TEXT NOT NULL CHECK (status IN ('OPEN', 'CLOSED')),
  opened_at_ms {int} NOT NULL,
  closed_at_ms {int},
  last_placed_at_ms {int},
  CONSTRAINT table_sessions_tenant_id_key UNIQUE (tenant_id, id),
  CONSTRAINT table_sessions_closed_time CHECK ((status = 'CLOSED') = (closed_at_ms IS NOT NULL))
) {strict};

CREATE UNIQUE INDEX table_sessions_open_table_key ON table_sessions (tenant_id, table_label) WHERE status = 'OPEN'
",
    "DROP TABLE table_sessions"
);
