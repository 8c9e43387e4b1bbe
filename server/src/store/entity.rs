//! Rows as they are, one module per table. They never leave the store but as the plain structs below it.

macro_rules! entity {
    ($name:ident = $table:literal { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        pub mod $name {
            use sea_orm::entity::prelude::*;

            #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
            #[sea_orm(table_name = $table)]
            pub struct Model {
                $($(#[$attribute])* pub $field: $type,)*
            }

            #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
            pub enum Relation {}

            impl ActiveModelBehavior for ActiveModel {}
        }
    };
}

entity!(tenant = "tenants" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    is_test: bool,
    created_at_ms: i64,
});

entity!(shop = "shops" {
    #[sea_orm(primary_key, auto_increment = false)]
    tenant_id: Uuid,
    id: Uuid,
    name_ja: String,
    name_en: String,
    currency: String,
    time_zone: String,
    business_day_starts_min: i64,
    content_window_ms: i64,
    cooldown_ms: i64,
    burst_ms: i64,
    wait_bound_ms: i64,
    retention_ms: i64,
    lease_ms: i64,
    catalogue_version: i64,
    takes_orders: bool,
});

entity!(api_key = "api_keys" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    kind: String,
    name: String,
    secret_sha256: Vec<u8>,
    hint: String,
    created_at_ms: i64,
    revoked_at_ms: Option<i64>,
});

entity!(menu_section = "menu_sections" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    source_key: String,
    position: i64,
    name_ja: String,
    name_en: String,
});

entity!(menu_item = "menu_items" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    section_id: Uuid,
    sku: String,
    position: i64,
    name_ja: String,
    name_en: String,
    description_ja: String,
    description_en: String,
    image_url: Option<String>,
    allergens: String,
    station: String,
    price_minor: i64,
    tax_rate_bp: i64,
    available: bool,
    archived: bool,
});

entity!(topping_group = "topping_groups" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    source_key: String,
    name_ja: String,
    name_en: String,
    min_count: i64,
    max_count: i64,
});

entity!(topping = "toppings" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    group_id: Uuid,
    sku: String,
    position: i64,
    name_ja: String,
    name_en: String,
    price_minor: i64,
    available: bool,
    archived: bool,
});

entity!(item_topping_group = "item_topping_groups" {
    #[sea_orm(primary_key, auto_increment = false)]
    item_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    group_id: Uuid,
    tenant_id: Uuid,
    position: i64,
});

entity!(stock_level = "stock_levels" {
    #[sea_orm(primary_key, auto_increment = false)]
    subject_id: Uuid,
    kind: String,
    tenant_id: Uuid,
    quantity: i64,
    supplied: i64,
});

entity!(table_session = "table_sessions" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    table_label: String,
    pin: String,
    status: String,
    opened_at_ms: i64,
    closed_at_ms: Option<i64>,
    last_placed_at_ms: Option<i64>,
});

entity!(pin_guess = "pin_guesses" {
    #[sea_orm(primary_key, auto_increment = false)]
    table_session_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    address: String,
    wrong: i64,
    last_wrong_at_ms: i64,
});

entity!(order = "orders" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    table_session_id: Uuid,
    table_label: String,
    business_day: String,
    number: i64,
    status: String,
    request_id: Uuid,
    checkout_id: Option<Uuid>,
    content_hash: Vec<u8>,
    notes_hash: Vec<u8>,
    caller: String,
    device: String,
    note: String,
    currency: String,
    total_minor: i64,
    placed_at_ms: i64,
    cancelled_at_ms: Option<i64>,
    version: i64,
    outcome_purged_at_ms: Option<i64>,
});

entity!(order_line = "order_lines" {
    #[sea_orm(primary_key, auto_increment = false)]
    order_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    position: i64,
    menu_item_id: Uuid,
    sku: String,
    name_ja: String,
    name_en: String,
    station: String,
    quantity: i64,
    unit_price_minor: i64,
    line_total_minor: i64,
    tax_rate_bp: i64,
    note: String,
    taken: i64,
});

entity!(order_line_topping = "order_line_toppings" {
    #[sea_orm(primary_key, auto_increment = false)]
    order_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    line_position: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    position: i64,
    topping_id: Uuid,
    name_ja: String,
    name_en: String,
    quantity: i64,
    unit_price_minor: i64,
    taken: i64,
});

entity!(idempotency_request = "idempotency_requests" {
    #[sea_orm(primary_key, auto_increment = false)]
    tenant_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    operation: String,
    #[sea_orm(primary_key, auto_increment = false)]
    idempotency_key: Uuid,
    attempt_id: Uuid,
    caller: String,
    fingerprint_version: i64,
    fingerprint: Vec<u8>,
    field_digests: String,
    outcome: Option<String>,
    outcome_kind: Option<String>,
    order_id: Option<Uuid>,
    lease_until_ms: Option<i64>,
    attempt_token: i64,
    created_at_ms: i64,
    finished_at_ms: Option<i64>,
    expires_at_ms: i64,
});

entity!(kitchen_ticket = "kitchen_tickets" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    order_id: Uuid,
    state: String,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
});

entity!(outbox_event = "outbox_events" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    kind: String,
    order_id: Uuid,
    payload: String,
    created_at_ms: i64,
    dispatched_at_ms: Option<i64>,
});

entity!(audit_entry = "audit_entries" {
    #[sea_orm(primary_key, auto_increment = false)]
    id: Uuid,
    tenant_id: Uuid,
    at_ms: i64,
    action: String,
    result: String,
    caller: String,
    device: String,
    request_id: Option<Uuid>,
    table_session_id: Option<Uuid>,
    order_id: Option<Uuid>,
});
