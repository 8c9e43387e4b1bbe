//! Orders with their lines: immutable snapshots of names and prices, but for the order's status.

crate::column::migration!(
    "m0004_orders",
    "
CREATE TABLE orders (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL,
  table_session_id {uuid} NOT NULL,
  table_label TEXT NOT NULL,
  business_day TEXT NOT NULL CHECK (length(business_day) = 10),
  number {int} NOT NULL CHECK (number BETWEEN 1000 AND 999999),
  status TEXT NOT NULL CHECK (status IN ('PENDING', 'NEEDS_ATTENTION', 'PLACED', 'CANCELLED', 'REFUSED')),
  request_id {uuid} NOT NULL,
  checkout_id {uuid},
  content_hash {bytes} NOT NULL,
  notes_hash {bytes} NOT NULL,
  caller TEXT NOT NULL,
  device TEXT NOT NULL,
  note TEXT NOT NULL CHECK (length(note) <= 500),
  currency TEXT NOT NULL CHECK (length(currency) = 3),
  total_minor {int} NOT NULL CHECK (total_minor BETWEEN 0 AND 9007199254740991),
  placed_at_ms {int} NOT NULL,
  cancelled_at_ms {int},
  version {int} NOT NULL,
  CONSTRAINT orders_table_session_fkey FOREIGN KEY (tenant_id, table_session_id) REFERENCES table_sessions (tenant_id, id),
  CONSTRAINT orders_checkout_key UNIQUE (tenant_id, checkout_id),
  CONSTRAINT orders_number_key UNIQUE (tenant_id, business_day, number)
) {strict};

CREATE INDEX orders_request_idx ON orders (tenant_id, request_id);
CREATE INDEX orders_table_session_idx ON orders (table_session_id, placed_at_ms, id);
CREATE INDEX orders_tenant_idx ON orders (tenant_id, placed_at_ms, id);

CREATE TABLE order_lines (
  order_id {uuid} NOT NULL REFERENCES orders,
  position {int} NOT NULL,
  menu_item_id {uuid} NOT NULL,
  sku TEXT NOT NULL,
  name_ja TEXT NOT NULL,
  name_en TEXT NOT NULL,
  station TEXT NOT NULL,
  quantity {int} NOT NULL CHECK (quantity BETWEEN 1 AND 99),
  unit_price_minor {int} NOT NULL CHECK (unit_price_minor >= 0),
  line_total_minor {int} NOT NULL CHECK (line_total_minor >= 0),
  tax_rate_bp {int} NOT NULL CHECK (tax_rate_bp BETWEEN 0 AND 10000),
  note TEXT NOT NULL CHECK (length(note) <= 100),
  taken {int} NOT NULL CHECK (taken >= 0),
  PRIMARY KEY (order_id, position)
) {strict};

CREATE TABLE order_line_toppings (
  order_id {uuid} NOT NULL,
  line_position {int} NOT NULL,
  position {int} NOT NULL,
  topping_id {uuid} NOT NULL,
  name_ja TEXT NOT NULL,
  name_en TEXT NOT NULL,
  quantity {int} NOT NULL CHECK (quantity BETWEEN 1 AND 9),
  unit_price_minor {int} NOT NULL CHECK (unit_price_minor >= 0),
  taken {int} NOT NULL CHECK (taken >= 0),
  PRIMARY KEY (order_id, line_position, position),
  FOREIGN KEY (order_id, line_position) REFERENCES order_lines (order_id, position)
) {strict}
",
    "DROP TABLE order_line_toppings; DROP TABLE order_lines; DROP TABLE orders"
);
