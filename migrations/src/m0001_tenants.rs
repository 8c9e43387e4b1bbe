//! Tenants, their shop with its ordering policy, and API keys.

crate::column::migration!(
    "m0001_tenants",
    "
CREATE TABLE tenants (
  id {uuid} PRIMARY KEY,
  is_test {bool} NOT NULL,
  created_at_ms {int} NOT NULL
) {strict};

CREATE TABLE shops (
  tenant_id {uuid} PRIMARY KEY REFERENCES tenants,
  id {uuid} NOT NULL CONSTRAINT shops_id_key UNIQUE,
  name_ja TEXT NOT NULL CONSTRAINT shops_name_key UNIQUE,
  name_en TEXT NOT NULL,
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  time_zone TEXT NOT NULL,
  business_day_starts_min {int} NOT NULL CHECK (business_day_starts_min BETWEEN 0 AND 1439),
  content_window_ms {int} NOT NULL CHECK (content_window_ms BETWEEN 0 AND 3600000),
  cooldown_ms {int} NOT NULL CHECK (cooldown_ms BETWEEN 0 AND 600000),
  burst_ms {int} NOT NULL CHECK (burst_ms BETWEEN 0 AND 600000),
  wait_bound_ms {int} NOT NULL CHECK (wait_bound_ms BETWEEN 1 AND 4000),
  retention_ms {int} NOT NULL CHECK (retention_ms BETWEEN 600000 AND 2073600000),
  lease_ms {int} NOT NULL CHECK (lease_ms BETWEEN 1000 AND 3600000),
  catalogue_version {int} NOT NULL
) {strict};

CREATE TABLE api_keys (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL REFERENCES tenants,
  kind TEXT NOT NULL CHECK (kind IN ('STAFF', 'INTEGRATOR')),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  secret_sha256 {bytes} NOT NULL CONSTRAINT api_keys_secret_key UNIQUE,
  hint TEXT NOT NULL,
  created_at_ms {int} NOT NULL,
  revoked_at_ms {int}
) {strict};

CREATE INDEX api_keys_tenant_idx ON api_keys (tenant_id, created_at_ms)
",
    "DROP TABLE api_keys; DROP TABLE shops; DROP TABLE tenants"
);
