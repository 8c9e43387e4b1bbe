-- 200 shops with 100 items and 10 toppings each, all tracked, and 100 open table sessions each.

CREATE TEMP TABLE bench_shops AS
  WITH RECURSIVE g(i) AS (SELECT CAST(0 AS bigint) UNION ALL SELECT i + 1 FROM g WHERE i < 199) SELECT i FROM g;
CREATE TEMP TABLE bench_items AS
  WITH RECURSIVE g(i) AS (SELECT CAST(0 AS bigint) UNION ALL SELECT i + 1 FROM g WHERE i < 19999) SELECT i FROM g;
CREATE TEMP TABLE bench_toppings AS
  WITH RECURSIVE g(i) AS (SELECT CAST(0 AS bigint) UNION ALL SELECT i + 1 FROM g WHERE i < 1999) SELECT i FROM g;

INSERT INTO tenants (id, is_test, created_at_ms)
  SELECT bench_id(1, i), TRUE, bench_now_ms() FROM bench_shops;

-- no burst, no cooldown: a shop's guests are many devices, and each orders once
INSERT INTO shops (
    tenant_id, id, name_ja, name_en, currency, time_zone, business_day_starts_min, content_window_ms, cooldown_ms, burst_ms,
    wait_bound_ms, retention_ms, lease_ms, catalogue_version, takes_orders)
  SELECT bench_id(1, i), bench_id(2, i), '食堂 ' || i, 'Diner ' || i, 'JPY', 'Asia/Tokyo', 300, 30000, 0, 0,
    2000, 259200000, 30000, 1, TRUE FROM bench_shops;

INSERT INTO menu_sections (id, tenant_id, source_key, position, name_ja, name_en)
  SELECT bench_id(3, i), bench_id(1, i), 'all', 0, '料理', 'Dishes' FROM bench_shops;

INSERT INTO menu_items (
    id, tenant_id, section_id, sku, position, name_ja, name_en, description_ja, description_en, image_url, allergens, station,
    price_minor, tax_rate_bp, available, archived)
  SELECT bench_id(4, i), bench_id(1, i / 100), bench_id(3, i / 100), 'item-' || (i % 100), i % 100,
    '醤油ラーメン ' || (i % 100), 'Soy sauce ramen ' || (i % 100), '', '', NULL, '[]', 'noodle',
    500 + 10 * (i % 100), 1000, TRUE, FALSE FROM bench_items;

INSERT INTO topping_groups (id, tenant_id, source_key, name_ja, name_en, min_count, max_count)
  SELECT bench_id(5, i), bench_id(1, i), 'extras', '追加', 'Extras', 0, 9 FROM bench_shops;

INSERT INTO toppings (id, tenant_id, group_id, sku, position, name_ja, name_en, price_minor, available, archived)
  SELECT bench_id(6, i), bench_id(1, i / 10), bench_id(5, i / 10), 'topping-' || (i % 10), i % 10,
    '味玉 ' || (i % 10), 'Seasoned egg ' || (i % 10), 50 + 10 * (i % 10), TRUE, FALSE FROM bench_toppings;

INSERT INTO item_topping_groups (item_id, group_id, tenant_id, position)
  SELECT bench_id(4, i), bench_id(5, i / 100), bench_id(1, i / 100), 0 FROM bench_items;

INSERT INTO stock_levels (subject_id, kind, tenant_id, quantity, supplied)
  SELECT bench_id(4, i), 'ITEM', bench_id(1, i / 100), 1000000000, 1000000000 FROM bench_items;
INSERT INTO stock_levels (subject_id, kind, tenant_id, quantity, supplied)
  SELECT bench_id(6, i), 'TOPPING', bench_id(1, i / 10), 1000000000, 1000000000 FROM bench_toppings;

-- as many table sessions as items
INSERT INTO table_sessions (id, tenant_id, table_label, pin, status, opened_at_ms, closed_at_ms, last_placed_at_ms)
  SELECT bench_id(7, i), bench_id(1, i % 200), 'T' || (i / 200), CAST(1000 + i % 9000 AS text), 'OPEN', bench_now_ms(), NULL, NULL
  FROM bench_items;

INSERT INTO api_keys (id, tenant_id, kind, name, secret_sha256, hint, created_at_ms, revoked_at_ms)
  SELECT bench_id(8, i), bench_id(1, i), 'STAFF', 'kitchen', bench_hash('mo_test_bench' || substr(CAST(1000000 + i AS text), 2)),
    'mo_test_benc', bench_now_ms(), NULL FROM bench_shops;

DROP TABLE bench_shops;
DROP TABLE bench_items;
DROP TABLE bench_toppings;
