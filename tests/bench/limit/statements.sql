-- One placement as a careful hand would write it, one round trip per statement; see one_call.schema.sql for what it does and
-- leaves NULL. Ids are made once and come back with the first statement.
\set session random(0, 19999)
\set a random(0, 49)
\set b random(50, 99)
\set a (:session % 200) * 100 + :a
\set b (:session % 200) * 100 + :b
\set t (:session % 200) * 10 + random(0, 9)
\set number random(1000, 9999)
\set second_number random(100000, 999999)
\set total 1550 + 10 * (:a % 100) + 10 * (:t % 10) + 20 * (:b % 100)
BEGIN;
INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller, fingerprint_version, fingerprint,
    field_digests, attempt_token, created_at_ms, expires_at_ms)
  SELECT s.tenant_id, 'placeOrder', gen_random_uuid(), bench_new_id(), 'session:' || bench_id(7, :session), 1,
    bench_hash(:session || ':' || :a || ':' || :b || ':' || :t),
    'session=0123456789abcdef;checkoutId=0123456789abcdef;lines=0123456789abcdef;note=0123456789abcdef;'
    'confirmDuplicateOf=0123456789abcdef;expectedTotal=0123456789abcdef', 1, bench_now_ms(), bench_now_ms() + s.retention_ms
  FROM shops s WHERE s.tenant_id = bench_id(1, :session % 200)
  ON CONFLICT DO NOTHING
  RETURNING idempotency_key AS key, created_at_ms AS now, fingerprint AS content, tenant_id AS tenant,
    bench_id(7, :session) AS session_id, bench_id(4, :a) AS item_a, bench_id(4, :b) AS item_b, bench_id(6, :t) AS topping,
    bench_new_id() AS order_id, gen_random_uuid() AS checkout, gen_random_uuid() AS device \gset
SELECT t.table_label AS table_label, s.content_window_ms AS content_window
  FROM table_sessions t JOIN shops s ON s.tenant_id = t.tenant_id
  WHERE t.id = :session_id::uuid AND t.closed_at_ms IS NULL AND s.takes_orders FOR UPDATE OF t \gset
SELECT id FROM orders WHERE tenant_id = :tenant::uuid AND checkout_id = :checkout::uuid
  UNION ALL SELECT id FROM orders
    WHERE table_session_id = :session_id::uuid AND placed_at_ms > :now::bigint - :content_window::bigint
      AND content_hash = :content::bytea;
SELECT subject_id, quantity FROM stock_levels
  WHERE subject_id IN (:item_a::uuid, :item_b::uuid, :topping::uuid) ORDER BY subject_id FOR UPDATE;
UPDATE stock_levels SET quantity = quantity - CASE subject_id WHEN :item_b::uuid THEN 2 ELSE 1 END
  WHERE subject_id IN (:item_a::uuid, :item_b::uuid, :topping::uuid);
WITH went_in AS (
  INSERT INTO orders (id, tenant_id, table_session_id, table_label, business_day, number, status, request_id, checkout_id,
      content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version)
    VALUES (:order_id::uuid, :tenant::uuid, :session_id::uuid, :table_label,
      to_char(to_timestamp(:now::bigint / 1000), 'YYYY-MM-DD'), :number, 'PLACED', :key::uuid, :checkout::uuid, :content::bytea,
      bench_hash(''), 'session:' || :session_id, 'guest-' || :device, '', 'JPY', :total, :now::bigint, 1)
    ON CONFLICT (tenant_id, business_day, number) DO NOTHING RETURNING 1)
  SELECT count(*) AS went_in FROM went_in \gset
\if :went_in
\else
\set number :second_number
INSERT INTO orders (id, tenant_id, table_session_id, table_label, business_day, number, status, request_id, checkout_id,
    content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version)
  VALUES (:order_id::uuid, :tenant::uuid, :session_id::uuid, :table_label,
    to_char(to_timestamp(:now::bigint / 1000), 'YYYY-MM-DD'), :number, 'PLACED', :key::uuid, :checkout::uuid, :content::bytea,
    bench_hash(''), 'session:' || :session_id, 'guest-' || :device, '', 'JPY', :total, :now::bigint, 1);
\endif
INSERT INTO order_lines (order_id, position, menu_item_id, sku, name_ja, name_en, station, quantity, unit_price_minor,
    line_total_minor, tax_rate_bp, note, taken)
  VALUES
    (:order_id::uuid, 0, :item_a::uuid, 'item-' || :a % 100, '醤油ラーメン ' || :a % 100, 'Soy sauce ramen ' || :a % 100, 'noodle', 1,
      550 + 10 * (:a % 100) + 10 * (:t % 10), 550 + 10 * (:a % 100) + 10 * (:t % 10), 1000, '', 1),
    (:order_id::uuid, 1, :item_b::uuid, 'item-' || :b % 100, '醤油ラーメン ' || :b % 100, 'Soy sauce ramen ' || :b % 100, 'noodle', 2,
      500 + 10 * (:b % 100), 1000 + 20 * (:b % 100), 1000, '', 2);
INSERT INTO order_line_toppings (order_id, line_position, position, topping_id, name_ja, name_en, quantity, unit_price_minor, taken)
  VALUES (:order_id::uuid, 0, 0, :topping::uuid, '味玉 ' || :t % 10, 'Seasoned egg ' || :t % 10, 1, 50 + 10 * (:t % 10), 1);
INSERT INTO kitchen_tickets (id, tenant_id, order_id, state, created_at_ms, updated_at_ms, version)
  VALUES (bench_new_id(), :tenant::uuid, :order_id::uuid, 'RECEIVED', :now::bigint, :now::bigint, 1);
INSERT INTO outbox_events (id, tenant_id, kind, order_id, payload, created_at_ms)
  VALUES (bench_new_id(), :tenant::uuid, 'order.placed', :order_id::uuid,
    '{"order":' || bench_sample() || ',"type":"order.placed"}', :now::bigint);
UPDATE table_sessions SET last_placed_at_ms = :now::bigint WHERE id = :session_id::uuid;
INSERT INTO audit_entries (id, tenant_id, at_ms, action, result, caller, device, request_id, table_session_id, order_id)
  VALUES (bench_new_id(), :tenant::uuid, :now::bigint, 'placeOrder', 'PLACED', 'session:' || :session_id, 'guest-' || :device,
    :key::uuid, :session_id::uuid, :order_id::uuid);
UPDATE idempotency_requests SET outcome = '{"kind":"placed","receipt":' || bench_sample() || '}', outcome_kind = 'PLACED',
    order_id = :order_id::uuid, finished_at_ms = :now::bigint
  WHERE tenant_id = :tenant::uuid AND operation = 'placeOrder' AND idempotency_key = :key::uuid AND outcome IS NULL;
COMMIT;
