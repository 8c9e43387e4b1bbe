-- One placement as one function of the server: the ceiling for one transaction per order.
--
-- It does what a placement has to do and nothing else: claim the key, lock the table session, look for the same cart or
-- content, take stock, write the order with its lines, topping, ticket and event, the audit entry and the outcome.
-- Left NULL, as a placement leaves them: cancelled_at_ms, outcome_purged_at_ms, dispatched_at_ms, lease_until_ms.

CREATE FUNCTION bench_place(p_session bigint, p_a bigint, p_b bigint, p_t bigint, p_number bigint) RETURNS uuid
LANGUAGE plpgsql AS $$
DECLARE
  v_tenant constant uuid := bench_id(1, p_session % 200);
  v_session constant uuid := bench_id(7, p_session);
  v_key constant uuid := gen_random_uuid();
  v_checkout constant uuid := gen_random_uuid();
  v_device constant text := 'guest-' || gen_random_uuid();
  v_caller constant text := 'session:' || v_session;
  v_order constant uuid := bench_new_id();
  v_content constant bytea := bench_hash(p_session || ':' || p_a || ':' || p_b || ':' || p_t);
  v_item_a constant uuid := bench_id(4, p_a);
  v_item_b constant uuid := bench_id(4, p_b);
  v_topping constant uuid := bench_id(6, p_t);
  v_number bigint := p_number;
  v_now bigint;
  v_table text;
  v_window bigint;
  v_total bigint;
  v_receipt constant text := bench_sample();
BEGIN
  INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller, fingerprint_version, fingerprint,
      field_digests, attempt_token, created_at_ms, expires_at_ms)
    SELECT v_tenant, 'placeOrder', v_key, bench_new_id(), v_caller, 1, v_content,
      'session=0123456789abcdef;checkoutId=0123456789abcdef;lines=0123456789abcdef;note=0123456789abcdef;'
      || 'confirmDuplicateOf=0123456789abcdef;expectedTotal=0123456789abcdef', 1, bench_now_ms(), bench_now_ms() + s.retention_ms
    FROM shops s WHERE s.tenant_id = v_tenant
    ON CONFLICT DO NOTHING RETURNING created_at_ms INTO v_now;
  IF NOT FOUND THEN RAISE EXCEPTION 'the key is used'; END IF;

  SELECT t.table_label, s.content_window_ms INTO v_table, v_window FROM table_sessions t JOIN shops s ON s.tenant_id = t.tenant_id
    WHERE t.id = v_session AND t.tenant_id = v_tenant AND t.closed_at_ms IS NULL AND s.takes_orders FOR UPDATE OF t;
  IF NOT FOUND THEN RAISE EXCEPTION 'the table session is closed'; END IF;

  -- what a duplicate is, is decided elsewhere; here it only costs
  PERFORM FROM orders WHERE tenant_id = v_tenant AND checkout_id = v_checkout;
  PERFORM FROM orders WHERE table_session_id = v_session AND placed_at_ms > v_now - v_window AND content_hash = v_content;

  PERFORM FROM stock_levels WHERE subject_id IN (v_item_a, v_item_b, v_topping)
    ORDER BY subject_id FOR UPDATE;
  UPDATE stock_levels SET quantity = quantity - CASE subject_id WHEN v_item_b THEN 2 ELSE 1 END
    WHERE subject_id IN (v_item_a, v_item_b, v_topping);

  v_total := (500 + 10 * (p_a % 100)) + (50 + 10 * (p_t % 10)) + 2 * (500 + 10 * (p_b % 100));
  LOOP
    INSERT INTO orders (id, tenant_id, table_session_id, table_label, business_day, number, status, request_id, checkout_id,
        content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version)
      VALUES (v_order, v_tenant, v_session, v_table, to_char(to_timestamp(v_now / 1000), 'YYYY-MM-DD'), v_number, 'PLACED', v_key,
        v_checkout, v_content, bench_hash(''), v_caller, v_device, '', 'JPY', v_total, v_now, 1)
      ON CONFLICT (tenant_id, business_day, number) DO NOTHING;
    EXIT WHEN FOUND;
    v_number := 100000 + floor(random() * 900000);
  END LOOP;

  INSERT INTO order_lines (order_id, position, menu_item_id, sku, name_ja, name_en, station, quantity, unit_price_minor,
      line_total_minor, tax_rate_bp, note, taken)
    VALUES
      (v_order, 0, v_item_a, 'item-' || p_a % 100, '醤油ラーメン ' || p_a % 100, 'Soy sauce ramen ' || p_a % 100, 'noodle', 1,
        550 + 10 * (p_a % 100) + 10 * (p_t % 10), 550 + 10 * (p_a % 100) + 10 * (p_t % 10), 1000, '', 1),
      (v_order, 1, v_item_b, 'item-' || p_b % 100, '醤油ラーメン ' || p_b % 100, 'Soy sauce ramen ' || p_b % 100, 'noodle', 2,
        500 + 10 * (p_b % 100), 1000 + 20 * (p_b % 100), 1000, '', 2);
  INSERT INTO order_line_toppings (order_id, line_position, position, topping_id, name_ja, name_en, quantity, unit_price_minor, taken)
    VALUES (v_order, 0, 0, v_topping, '味玉 ' || p_t % 10, 'Seasoned egg ' || p_t % 10, 1, 50 + 10 * (p_t % 10), 1);
  INSERT INTO kitchen_tickets (id, tenant_id, order_id, state, created_at_ms, updated_at_ms, version)
    VALUES (bench_new_id(), v_tenant, v_order, 'RECEIVED', v_now, v_now, 1);

  INSERT INTO outbox_events (id, tenant_id, kind, order_id, payload, created_at_ms)
    VALUES (bench_new_id(), v_tenant, 'order.placed', v_order, '{"order":' || v_receipt || ',"type":"order.placed"}', v_now);
  UPDATE table_sessions SET last_placed_at_ms = v_now WHERE id = v_session;
  INSERT INTO audit_entries (id, tenant_id, at_ms, action, result, caller, device, request_id, table_session_id, order_id)
    VALUES (bench_new_id(), v_tenant, v_now, 'placeOrder', 'PLACED', v_caller, v_device, v_key, v_session, v_order);
  UPDATE idempotency_requests SET outcome = '{"kind":"placed","receipt":' || v_receipt || '}', outcome_kind = 'PLACED',
      order_id = v_order, finished_at_ms = v_now
    WHERE tenant_id = v_tenant AND operation = 'placeOrder' AND idempotency_key = v_key AND outcome IS NULL;
  RETURN v_order;
END $$;
