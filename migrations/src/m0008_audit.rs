//! The audit trail: who asked what under which key, and what became of it.

crate::column::migration!(
    "m0008_audit",
    "
CREATE TABLE audit_entries (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL,
  at_ms {int} NOT NULL,
  action TEXT NOT NULL,
  result TEXT NOT NULL,
  caller TEXT NOT NULL,
  device TEXT NOT NULL,
  request_id {uuid},
  table_session_id {uuid},
  order_id {uuid}
) {strict};

CREATE INDEX audit_entries_request_idx ON audit_entries (tenant_id, request_id, at_ms);
CREATE INDEX audit_entries_order_idx ON audit_entries (order_id);
CREATE INDEX audit_entries_table_session_idx ON audit_entries (table_session_id, at_ms)
",
    "DROP TABLE audit_entries"
);
