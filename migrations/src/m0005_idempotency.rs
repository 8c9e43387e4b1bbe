//! Claims and their stored outcomes. The primary key picks the owner; nothing else ever does.

crate::column::migration!(
    "m0005_idempotency",
    "
CREATE TABLE idempotency_requests (
  tenant_id {uuid} NOT NULL,
  operation TEXT NOT NULL CHECK (length(operation) BETWEEN 1 AND 40),
  idempotency_key {uuid} NOT NULL,
  attempt_id {uuid} NOT NULL,
  caller TEXT NOT NULL,
  fingerprint_version {int} NOT NULL CHECK (fingerprint_version >= 0),
  fingerprint {bytes} NOT NULL,
  field_digests TEXT NOT NULL,
  outcome TEXT,
  outcome_kind TEXT CHECK (outcome_kind IN ('PLACED', 'ALIAS', 'REJECTED')),
  order_id {uuid},
  lease_until_ms {int},
  attempt_token {int} NOT NULL,
  created_at_ms {int} NOT NULL,
  finished_at_ms {int},
  expires_at_ms {int} NOT NULL,
  PRIMARY KEY (tenant_id, operation, idempotency_key),
  CONSTRAINT idempotency_requests_finished CHECK (
    (outcome IS NULL) = (finished_at_ms IS NULL) AND (outcome IS NULL) = (outcome_kind IS NULL)
  )
) {strict};

CREATE INDEX idempotency_requests_expiry_idx ON idempotency_requests (expires_at_ms)
",
    "DROP TABLE idempotency_requests"
);
