-- One placement, statement by statement; see one_call.schema.sql for what it does and leaves NULL.
BEGIN IMMEDIATE;
INSERT INTO idempotency_requests (tenant_id, operation, idempotency_key, attempt_id, caller, fingerprint_version, fingerprint,
    field_digests, attempt_token, created_at_ms, expires_at_ms)
  SELECT tenant_id, 'placeOrder', :key, :attempt, :caller, 1, :content, :digests, 1, :now, :now + retention_ms
  FROM shops WHERE tenant_id = :tenant ON CONFLICT DO NOTHING;
SELECT t.table_label, s.content_window_ms FROM table_sessions t JOIN shops s ON s.tenant_id = t.tenant_id
  WHERE t.id = :session AND t.tenant_id = :tenant AND t.closed_at_ms IS NULL AND s.takes_orders;
SELECT id FROM orders WHERE tenant_id = :tenant AND checkout_id = :checkout
  UNION ALL SELECT id FROM orders WHERE table_session_id = :session AND placed_at_ms > :now - 30000 AND content_hash = :content;
SELECT subject_id, quantity FROM stock_levels WHERE subject_id IN (:item_a, :item_b, :topping) ORDER BY subject_id;
UPDATE stock_levels SET quantity = quantity - CASE subject_id WHEN :item_b THEN 2 ELSE 1 END
  WHERE subject_id IN (:item_a, :item_b, :topping);
INSERT INTO orders (id, tenant_id, table_session_id, table_label, business_day, number, status, request_id, checkout_id,
    content_hash, notes_hash, caller, device, note, currency, total_minor, placed_at_ms, version)
  VALUES (:order, :tenant, :session, :table, :day, :number, 'PLACED', :key, :checkout, :content, :notes, :caller, :device, '', 'JPY',
    :total, :now, 1)
  ON CONFLICT (tenant_id, business_day, number) DO NOTHING;
INSERT INTO order_lines (order_id, position, menu_item_id, sku, name_ja, name_en, station, quantity, unit_price_minor,
    line_total_minor, tax_rate_bp, note, taken)
  VALUES (:order, 0, :item_a, :sku_a, :name_ja_a, :name_en_a, 'noodle', 1, :price_a, :price_a, 1000, '', 1),
    (:order, 1, :item_b, :sku_b, :name_ja_b, :name_en_b, 'noodle', 2, :price_b, 2 * :price_b, 1000, '', 2);
INSERT INTO order_line_toppings (order_id, line_position, position, topping_id, name_ja, name_en, quantity, unit_price_minor, taken)
  VALUES (:order, 0, 0, :topping, :name_ja_t, :name_en_t, 1, :price_t, 1);
INSERT INTO kitchen_tickets (id, tenant_id, order_id, state, created_at_ms, updated_at_ms, version)
  VALUES (:ticket, :tenant, :order, 'RECEIVED', :now, :now, 1);
INSERT INTO outbox_events (id, tenant_id, kind, order_id, payload, created_at_ms)
  VALUES (:event, :tenant, 'order.placed', :order, :payload, :now);
UPDATE table_sessions SET last_placed_at_ms = :now WHERE id = :session;
INSERT INTO audit_entries (id, tenant_id, at_ms, action, result, caller, device, request_id, table_session_id, order_id)
  VALUES (:audit, :tenant, :now, 'placeOrder', 'PLACED', :caller, :device, :key, :session, :order);
UPDATE idempotency_requests SET outcome = :outcome, outcome_kind = 'PLACED', order_id = :order, finished_at_ms = :now
  WHERE tenant_id = :tenant AND operation = 'placeOrder' AND idempotency_key = :key AND outcome IS NULL;
COMMIT;
