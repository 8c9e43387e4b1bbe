//! Writing orders with their lines, and finding what they may be duplicates of.

use super::bulk::{Bulk, Kind};
use super::entity::order;
use super::failure::{Failure, Result};
use super::txn::Txn;
use super::writes::Writes;
use crate::kitchen::ticket::Ticket;
use crate::ordering::duplicates::{Earlier, Standing};
use crate::ordering::history::Order;
use crate::ordering::receipt::{Receipt, ReceiptLine};
use masterorder_protocol::ids::{CheckoutId, OrderId, TableSessionId, TenantId};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use std::collections::HashSet;
use uuid::Uuid;

/// An order to be inserted.
#[derive(Debug, Clone)]
pub struct NewOrder {
    /// What it says.
    pub receipt: Receipt,
    /// The account.
    pub tenant: TenantId,
    /// `YYYY-MM-DD`, shop time.
    pub business_day: String,
    /// The cart.
    pub checkout: Option<CheckoutId>,
    /// Of what is ordered.
    pub content_hash: [u8; 32],
    /// Of what is said about it.
    pub notes_hash: [u8; 32],
    /// Table session or key.
    pub caller: String,
    /// Which device.
    pub device: String,
}

impl NewOrder {
    /// The order as `insert` wrote it.
    pub fn written(self, ticket: Ticket) -> Order {
        Order {
            receipt: self.receipt,
            checkout: self.checkout,
            standing: Standing::Placed,
            cancelled_at_ms: None,
            version: 1,
            ticket: Some(ticket),
        }
    }
}

/// What the look-ups for duplicates ask for.
#[derive(Debug, Clone, Default)]
pub struct Lookup {
    /// Orders of these carts.
    pub checkouts: Vec<(TenantId, CheckoutId)>,
    /// Orders with this content since this time. *Units*: ms since the Unix epoch.
    pub contents: Vec<(TableSessionId, [u8; 32], i64)>,
    /// Orders of these devices since this time. *Units*: ms since the Unix epoch.
    pub devices: Vec<(TableSessionId, String, i64)>,
    /// Orders with these ids.
    pub confirmed: Vec<OrderId>,
}

/// Finds the orders that a slice might place again, and those that it follows too soon, in one statement. Call it after the locking statement has returned: on
/// READ COMMITTED a merged statement would read the snapshot from before the wait, and miss the twin.
pub async fn earlier(txn: &Txn, lookup: &Lookup) -> Result<Vec<Earlier>> {
    const COLUMNS: &str = "SELECT o.id, o.tenant_id, o.table_session_id, o.checkout_id, o.status, o.content_hash, o.notes_hash, \
                           o.device, o.placed_at_ms FROM orders o JOIN";
    let mut bulk = Bulk::new(txn);
    let mut parts = Vec::new();
    if !lookup.checkouts.is_empty() {
        let rows = lookup
            .checkouts
            .iter()
            .map(|(tenant, cart)| [tenant.0.into(), cart.0.into()]);
        bulk.rows("cart", [("tenant", Kind::Uuid), ("checkout", Kind::Uuid)], rows);
        parts.push("cart r ON o.tenant_id = r.tenant AND o.checkout_id = r.checkout");
    }
    if !lookup.contents.is_empty() {
        let rows = lookup
            .contents
            .iter()
            .map(|(session, content, since_ms)| [session.0.into(), content.to_vec().into(), (*since_ms).into()]);
        let columns = [("session", Kind::Uuid), ("content", Kind::Bytes), ("since", Kind::Int)];
        bulk.rows("content", columns, rows);
        parts.push(
            "content r ON o.table_session_id = r.session AND o.placed_at_ms > r.since AND o.content_hash = r.content",
        );
    }
    if !lookup.devices.is_empty() {
        let rows = lookup
            .devices
            .iter()
            .map(|(session, device, since_ms)| [session.0.into(), device.clone().into(), (*since_ms).into()]);
        let columns = [("session", Kind::Uuid), ("device", Kind::Text), ("since", Kind::Int)];
        bulk.rows("device", columns, rows);
        parts.push("device r ON o.table_session_id = r.session AND o.placed_at_ms > r.since AND o.device = r.device");
    }
    if !lookup.confirmed.is_empty() {
        bulk.rows(
            "confirmed",
            [("id", Kind::Uuid)],
            lookup.confirmed.iter().map(|id| [id.0.into()]),
        );
        parts.push("confirmed r ON o.id = r.id");
    }
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    // an order that is found twice is the same order
    let parts: Vec<String> = parts.iter().map(|part| format!("{COLUMNS} {part}")).collect();
    let rows = bulk.query(&parts.join(" UNION ALL ")).await?;
    rows.iter()
        .map(|row| {
            let id = OrderId(row.try_get_by_index(0)?);
            Ok(Earlier {
                id,
                tenant: TenantId(row.try_get_by_index(1)?),
                table_session: TableSessionId(row.try_get_by_index(2)?),
                checkout: row.try_get_by_index::<Option<Uuid>>(3)?.map(CheckoutId),
                standing: standing(id, &row.try_get_by_index::<String>(4)?)?,
                content_hash: row.try_get_by_index(5)?,
                notes_hash: row.try_get_by_index(6)?,
                device: row.try_get_by_index(7)?,
                placed_at_ms: row.try_get_by_index(8)?,
            })
        })
        .collect()
}

/// Inserts orders whose numbers are free. Returns the ids that went in; the others met a number of their day.
///
/// *Errors*: `Unique(Checkout)` when a twin placed the cart a moment ago.
pub async fn insert(txn: &Txn, orders: &[NewOrder]) -> Result<HashSet<OrderId>> {
    let mut bulk = Bulk::new(txn);
    let columns = [
        ("id", Kind::Uuid),
        ("tenant_id", Kind::Uuid),
        ("table_session_id", Kind::Uuid),
        ("table_label", Kind::Text),
        ("business_day", Kind::Text),
        ("number", Kind::Int),
        ("request_id", Kind::Uuid),
        ("checkout_id", Kind::UuidOrNull),
        ("content_hash", Kind::Bytes),
        ("notes_hash", Kind::Bytes),
        ("caller", Kind::Text),
        ("device", Kind::Text),
        ("note", Kind::Text),
        ("currency", Kind::Text),
        ("total_minor", Kind::Int),
        ("placed_at_ms", Kind::Int),
    ];
    let rows = orders.iter().map(|order| {
        let receipt = &order.receipt;
        [
            receipt.order_id.0.into(),
            order.tenant.0.into(),
            receipt.table_session_id.0.into(),
            receipt.table.clone().into(),
            order.business_day.clone().into(),
            receipt.number.into(),
            receipt.request_id.as_uuid().into(),
            order.checkout.map(|c| c.0).unwrap_or_default().into(),
            order.content_hash.to_vec().into(),
            order.notes_hash.to_vec().into(),
            order.caller.clone().into(),
            order.device.clone().into(),
            receipt.note.clone().into(),
            receipt.currency.as_str().into(),
            receipt.total_minor.into(),
            receipt.placed_at_ms.into(),
        ]
    });
    bulk.rows("r", columns, rows);
    let names = columns.map(|(name, _)| name).join(", ");
    // WHERE: without it SQLite takes ON for the beginning of a join
    let inserted = bulk
        .query(&format!(
            "INSERT INTO orders ({names}, status, version) SELECT {names}, 'PLACED', 1 FROM r WHERE TRUE
             ON CONFLICT (tenant_id, business_day, number) DO NOTHING RETURNING id"
        ))
        .await?;
    inserted
        .iter()
        .map(|row| Ok(OrderId(row.try_get_by_index::<Uuid>(0)?)))
        .collect()
}

/// Inserts the lines of orders with their toppings.
pub fn insert_lines(writes: &mut Writes<'_>, receipts: &[&Receipt]) {
    lines(writes, receipts);
    toppings(writes, receipts);
}

fn numbered<'r>(receipts: &'r [&'r Receipt]) -> impl Iterator<Item = (OrderId, i64, &'r ReceiptLine)> {
    receipts.iter().flat_map(|receipt| {
        (0_i64..)
            .zip(&receipt.lines)
            .map(|(i, line)| (receipt.order_id, i, line))
    })
}

fn lines(writes: &mut Writes<'_>, receipts: &[&Receipt]) {
    writes.insert(
        "order_lines",
        [
            ("order_id", Kind::Uuid),
            ("position", Kind::Int),
            ("menu_item_id", Kind::Uuid),
            ("sku", Kind::Text),
            ("name_ja", Kind::Text),
            ("name_en", Kind::Text),
            ("station", Kind::Text),
            ("quantity", Kind::Int),
            ("unit_price_minor", Kind::Int),
            ("line_total_minor", Kind::Int),
            ("tax_rate_bp", Kind::Int),
            ("note", Kind::Text),
            ("taken", Kind::Int),
        ],
        numbered(receipts).map(|(order, i, line)| {
            [
                order.0.into(),
                i.into(),
                line.item_id.0.into(),
                line.sku.clone().into(),
                line.name.ja.clone().into(),
                line.name.en.clone().into(),
                line.station.clone().into(),
                line.quantity.into(),
                line.unit_price_minor.into(),
                line.line_total_minor.into(),
                line.tax_rate_bp.into(),
                line.note.clone().into(),
                line.taken.into(),
            ]
        }),
    );
}

fn toppings(writes: &mut Writes<'_>, receipts: &[&Receipt]) {
    let mut toppings = numbered(receipts)
        .flat_map(|(order, i, line)| {
            (0_i64..)
                .zip(&line.toppings)
                .map(move |(j, topping)| (order, i, j, topping))
        })
        .peekable();
    if toppings.peek().is_none() {
        return;
    }
    writes.insert(
        "order_line_toppings",
        [
            ("order_id", Kind::Uuid),
            ("line_position", Kind::Int),
            ("position", Kind::Int),
            ("topping_id", Kind::Uuid),
            ("name_ja", Kind::Text),
            ("name_en", Kind::Text),
            ("quantity", Kind::Int),
            ("unit_price_minor", Kind::Int),
            ("taken", Kind::Int),
        ],
        toppings.map(|(order, i, j, topping)| {
            [
                order.0.into(),
                i.into(),
                j.into(),
                topping.topping_id.0.into(),
                topping.name.ja.clone().into(),
                topping.name.en.clone().into(),
                topping.quantity.into(),
                topping.unit_price_minor.into(),
                topping.taken.into(),
            ]
        }),
    );
}

/// Locks an order of a tenant and says where it stands.
pub async fn lock(txn: &Txn, tenant: TenantId, id: OrderId) -> Result<Option<Standing>> {
    order::Entity::find()
        .filter(order::Column::Id.eq(id.0))
        .filter(order::Column::TenantId.eq(tenant.0))
        .lock_exclusive()
        .one(txn.conn())
        .await?
        .map(|row| standing(OrderId(row.id), &row.status))
        .transpose()
}

/// The party of an order.
pub async fn table_session(txn: &Txn, id: OrderId) -> Result<Option<TableSessionId>> {
    let found = order::Entity::find_by_id(id.0)
        .select_only()
        .column(order::Column::TableSessionId)
        .into_tuple::<Uuid>()
        .one(txn.conn())
        .await?;
    Ok(found.map(TableSessionId))
}

/// Marks a placed order as cancelled. Returns whether this call did.
pub async fn cancel(txn: &Txn, id: OrderId, now_ms: i64) -> Result<bool> {
    let changed = order::Entity::update_many()
        .col_expr(order::Column::Status, Expr::value("CANCELLED"))
        .col_expr(order::Column::CancelledAtMs, Expr::value(now_ms))
        .col_expr(order::Column::Version, Expr::col(order::Column::Version).add(1))
        .filter(order::Column::Id.eq(id.0))
        .filter(order::Column::Status.eq("PLACED"))
        .exec(txn.conn())
        .await?;
    Ok(changed.rows_affected == 1)
}

/// Makes orders remember that the outcome of their key was purged.
pub async fn mark_purged(txn: &Txn, ids: &[OrderId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    order::Entity::update_many()
        .col_expr(order::Column::OutcomePurgedAtMs, txn.now_sql())
        .filter(order::Column::Id.is_in(ids.iter().map(|id| id.0)))
        .exec(txn.conn())
        .await?;
    Ok(())
}

pub(super) fn standing(order: OrderId, status: &str) -> Result<Standing> {
    match status {
        "PLACED" => Ok(Standing::Placed),
        "CANCELLED" | "REFUSED" => Ok(Standing::Cancelled),
        "PENDING" | "NEEDS_ATTENTION" => Ok(Standing::Pending),
        _ => Err(inconsistent("status", order)),
    }
}

pub(super) fn inconsistent(column: &'static str, order: OrderId) -> Failure {
    Failure::Inconsistent {
        table: "orders",
        column,
        row: order.to_string(),
    }
}
