//! The menu. Items and toppings are archived, never deleted; what is tracked has a row in `stock_levels`.
//!
//! Stock has a table of its own so that items and toppings are locked and changed by one sorted statement each, and
//! so that a busy stock row never stands in the way of reading the menu.

crate::column::migration!(
    "m0002_catalogue",
    "
CREATE TABLE menu_sections (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL REFERENCES tenants,
  source_key TEXT NOT NULL,
  position {int} NOT NULL,
  name_ja TEXT NOT NULL CHECK (length(name_ja) BETWEEN 1 AND 200),
  name_en TEXT NOT NULL CHECK (length(name_en) BETWEEN 1 AND 200),
  CONSTRAINT menu_sections_source_key UNIQUE (tenant_id, source_key)
) {strict};

CREATE TABLE menu_items (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL REFERENCES tenants,
  section_id {uuid} NOT NULL REFERENCES menu_sections,
  sku TEXT NOT NULL CHECK (length(sku) BETWEEN 1 AND 100),
  position {int} NOT NULL,
  name_ja TEXT NOT NULL CHECK (length(name_ja) BETWEEN 1 AND 200),
  name_en TEXT NOT NULL CHECK (length(name_en) BETWEEN 1 AND 200),
  description_ja TEXT NOT NULL,
  description_en TEXT NOT NULL,
  image_url TEXT,
  allergens TEXT NOT NULL,
  station TEXT NOT NULL,
  price_minor {int} NOT NULL CHECK (price_minor BETWEEN 0 AND 1000000000000),
  tax_rate_bp {int} NOT NULL CHECK (tax_rate_bp BETWEEN 0 AND 10000),
  available {bool} NOT NULL,
  archived {bool} NOT NULL,
  CONSTRAINT menu_items_sku_key UNIQUE (tenant_id, sku)
) {strict};

CREATE TABLE topping_groups (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL REFERENCES tenants,
  source_key TEXT NOT NULL,
  name_ja TEXT NOT NULL CHECK (length(name_ja) BETWEEN 1 AND 200),
  name_en TEXT NOT NULL CHECK (length(name_en) BETWEEN 1 AND 200),
  min_count {int} NOT NULL CHECK (min_count >= 0),
  max_count {int} NOT NULL,
  CONSTRAINT topping_groups_bounds CHECK (max_count >= 1 AND max_count >= min_count),
  CONSTRAINT topping_groups_source_key UNIQUE (tenant_id, source_key)
) {strict};

CREATE TABLE toppings (
  id {uuid} PRIMARY KEY,
  tenant_id {uuid} NOT NULL REFERENCES tenants,
  group_id {uuid} NOT NULL REFERENCES topping_groups,
  sku TEXT NOT NULL CHECK (length(sku) BETWEEN 1 AND 100),
  position {int} NOT NULL,
  name_ja TEXT NOT NULL CHECK (length(name_ja) BETWEEN 1 AND 200),
  name_en TEXT NOT NULL CHECK (length(name_en) BETWEEN 1 AND 200),
  price_minor {int} NOT NULL CHECK (price_minor BETWEEN 0 AND 1000000000000),
  available {bool} NOT NULL,
  archived {bool} NOT NULL,
  CONSTRAINT toppings_sku_key UNIQUE (tenant_id, sku)
) {strict};

CREATE TABLE item_topping_groups (
  item_id {uuid} NOT NULL REFERENCES menu_items,
  group_id {uuid} NOT NULL REFERENCES topping_groups,
  tenant_id {uuid} NOT NULL REFERENCES tenants,
  position {int} NOT NULL,
  PRIMARY KEY (item_id, group_id)
) {strict};

CREATE TABLE stock_levels (
  subject_id {uuid} PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('ITEM', 'TOPPING')),
  tenant_id {uuid} NOT NULL REFERENCES tenants,
  quantity {int} NOT NULL CONSTRAINT stock_levels_never_below_zero CHECK (quantity >= 0),
  supplied {int} NOT NULL CHECK (supplied >= 0)
) {strict};

CREATE INDEX menu_items_section_idx ON menu_items (section_id, position);
CREATE INDEX toppings_group_idx ON toppings (group_id, position);
CREATE INDEX item_topping_groups_tenant_idx ON item_topping_groups (tenant_id);
CREATE INDEX stock_levels_tenant_idx ON stock_levels (tenant_id)
",
    "DROP TABLE stock_levels; DROP TABLE item_topping_groups; DROP TABLE toppings; DROP TABLE topping_groups;
     DROP TABLE menu_items; DROP TABLE menu_sections"
);
