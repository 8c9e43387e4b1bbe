-- {count} orders that are there already, the last of them a minute old, with all that a placement leaves behind.

CREATE TEMP TABLE bench_fill AS
  WITH RECURSIVE g(n) AS (SELECT CAST(0 AS bigint) UNION ALL SELECT n + 1 FROM g WHERE n < {count} - 1)
  SELECT n, n % 20000 AS session, n % 200 AS shop, bench_id(9, n) AS order_id, bench_scatter(n) AS request_id,
    (n % 200) * 100 + (n / 20000) % 100 AS a, (n % 200) * 100 + (n / 20000 + 1) % 100 AS b, (n % 200) * 10 + n % 10 AS t,
    'guest-00000000-0000-4000-8000-' || CAST(100000000000 + n AS text) AS device,
    'session:00000000-0000-4000-8000-' || CAST(100000000000 + n % 20000 AS text) AS caller,
    -- 250 orders a day and shop
    '2026-01-' || (10 + n / 50000) AS business_day, 1000 + (n / 200) % 250 AS number,
    {now} - 60000 - ({count} - n) * 1000 AS at_ms FROM g;

INSERT INTO orders (id, tenant_id, table_session_id, table_label, business_day, number, status, request_id, checkout_id,
    content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version)
  SELECT order_id, bench_id(1, shop), bench_id(7, session), 'T' || (session / 200), business_day, number, 'PLACED', request_id,
    bench_scatter(n + 1000000000), bench_hash(device), bench_hash(''), caller, device, '', 'JPY',
    1550 + 10 * (a % 100) + 10 * (t % 10) + 20 * (b % 100), at_ms, 1 FROM bench_fill;
INSERT INTO order_lines (order_id, position, menu_item_id, sku, name_ja, name_en, station, quantity, unit_price_minor,
    line_total_minor, tax_rate_bp, note, taken)
  SELECT order_id, 0, bench_id(4, a), 'item-' || (a % 100), '醤油ラーメン ' || (a % 100), 'Soy sauce ramen ' || (a % 100), 'noodle', 1,
    550 + 10 * (a % 100) + 10 * (t % 10), 550 + 10 * (a % 100) + 10 * (t % 10), 1000, '', 1 FROM bench_fill
  UNION ALL SELECT order_id, 1, bench_id(4, b), 'item-' || (b % 100), '醤油ラーメン ' || (b % 100), 'Soy sauce ramen ' || (b % 100),
    'noodle', 2, 500 + 10 * (b % 100), 1000 + 20 * (b % 100), 1000, '', 2 FROM bench_fill ORDER BY 1, 2;
INSERT INTO order_line_toppings (order_id, line_position, position, topping_id, name_ja, name_en, quantity, unit_price_minor, taken)
  SELECT order_id, 0, 0, bench_id(6, t), '味玉 ' || (t % 10), 'Seasoned egg ' || (t % 10), 1, 50 + 10 * (t % 10), 1 FROM bench_fill;
-- what is older than an hour was served
INSERT INTO kitchen_tickets (id, tenant_id, order_id, state, created_at_ms, updated_at_ms, version)
  SELECT bench_id(0, n), bench_id(1, shop), order_id, CASE WHEN n < {count} - 3600 THEN 'SERVED' ELSE 'RECEIVED' END, at_ms, at_ms, 1
  FROM bench_fill;
INSERT INTO outbox_events (id, tenant_id, kind, order_id, payload, created_at_ms)
  SELECT bench_id(0, n), bench_id(1, shop), 'order.placed', order_id,
    '{"order":' || bench_sample() || ',"type":"order.placed"}', at_ms
  FROM bench_fill;
INSERT INTO audit_entries (id, tenant_id, at_ms, action, result, caller, device, request_id, table_session_id, order_id)
  SELECT bench_id(0, n), bench_id(1, shop), at_ms, 'placeOrder', 'PLACED', caller, device, request_id, bench_id(7, session), order_id
  FROM bench_fill;
INSERT INTO seated_devices (table_session_id, device, seated_at_ms)
  SELECT bench_id(7, session), device, at_ms FROM bench_fill;
INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller, fingerprint_version, fingerprint,
    field_digests, outcome, outcome_kind, order_id, attempt_token, created_at_ms, finished_at_ms, expires_at_ms)
  SELECT bench_id(1, shop), 'placeOrder', request_id, bench_id(0, n), caller, 1, bench_hash(device),
    'session=0123456789abcdef;checkoutId=0123456789abcdef;lines=0123456789abcdef;note=0123456789abcdef;'
    || 'confirmDuplicateOf=0123456789abcdef;expectedTotal=0123456789abcdef',
    '{"kind":"placed","receipt":' || bench_sample() || '}', 'PLACED', order_id,
    1, at_ms, at_ms, {expires} FROM bench_fill;

UPDATE stock_levels SET supplied = supplied + f.taken
  FROM (SELECT menu_item_id AS id, sum(taken) AS taken FROM order_lines GROUP BY menu_item_id) f WHERE subject_id = f.id;
UPDATE stock_levels SET supplied = supplied + f.taken
  FROM (SELECT topping_id AS id, sum(taken) AS taken FROM order_line_toppings GROUP BY topping_id) f WHERE subject_id = f.id;

DROP TABLE bench_fill;
