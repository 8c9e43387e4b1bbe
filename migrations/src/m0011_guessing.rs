//! Wrong PINs by table session and address, and the devices that once gave the right one.

crate::column::migration!(
    "m0011_guessing",
    "
CREATE TABLE pin_guesses (
  table_session_id {uuid} NOT NULL REFERENCES table_sessions,
  address TEXT NOT NULL CHECK (length(address) <= 60),
  wrong {int} NOT NULL CHECK (wrong >= 1),
  last_wrong_at_ms {int} NOT NULL,
  PRIMARY KEY (table_session_id, address)
) {strict};

CREATE TABLE seated_devices (
  table_session_id {uuid} NOT NULL REFERENCES table_sessions,
  device TEXT NOT NULL CHECK (length(device) BETWEEN 1 AND 100),
  seated_at_ms {int} NOT NULL,
  PRIMARY KEY (table_session_id, device)
) {strict}
",
    "DROP TABLE seated_devices; DROP TABLE pin_guesses"
);
