//! Orders with their lines.

use super::db::Db;
use super::entity::{order, order_line, order_line_topping};
use super::failure::{Failure, Result};
use super::tickets;
use super::txn::Txn;
use crate::lang::LocalText;
use crate::ordering::duplicates::{Earlier, Standing};
use crate::ordering::history::{Cursor, Order};
use crate::ordering::receipt::{Receipt, ReceiptLine, ReceiptTopping};
use masterorder_protocol::ids::{CheckoutId, MenuItemId, OrderId, TableSessionId, TenantId, ToppingId};
use masterorder_protocol::money::Currency;
use masterorder_protocol::request_id::RequestId;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use std::collections::{BTreeMap, HashMap, HashSet};
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
    use order::Column as C;
    let mut any = Condition::any();
    for (tenant, checkout) in &lookup.checkouts {
        any = any.add(C::TenantId.eq(tenant.0).and(C::CheckoutId.eq(checkout.0)));
    }
    for (session, content, since_ms) in &lookup.contents {
        any = any.add(
            Condition::all()
                .add(C::TableSessionId.eq(session.0))
                .add(C::PlacedAtMs.gt(*since_ms))
                .add(C::ContentHash.eq(content.to_vec())),
        );
    }
    for (session, device, since_ms) in &lookup.devices {
        any = any.add(
            Condition::all()
                .add(C::TableSessionId.eq(session.0))
                .add(C::PlacedAtMs.gt(*since_ms))
                .add(C::Device.eq(device)),
        );
    }
    if !lookup.confirmed.is_empty() {
        any = any.add(C::Id.is_in(lookup.confirmed.iter().map(|id| id.0)));
    }
    if any.is_empty() {
        return Ok(Vec::new());
    }
    let rows = order::Entity::find().filter(any).all(txn.conn()).await?;
    rows.into_iter()
        .map(|row| {
            Ok(Earlier {
                id: OrderId(row.id),
                tenant: TenantId(row.tenant_id),
                table_session: TableSessionId(row.table_session_id),
                checkout: row.checkout_id.map(CheckoutId),
                standing: standing(&row)?,
                content_hash: row.content_hash,
                notes_hash: row.notes_hash,
                device: row.device,
                placed_at_ms: row.placed_at_ms,
            })
        })
        .collect()
}

/// Inserts orders whose numbers are free. Returns the ids that went in; the others met a number of their day.
///
/// *Errors*: `Unique(Checkout)` when a twin placed the cart a moment ago.
pub async fn insert(txn: &Txn, orders: &[NewOrder]) -> Result<HashSet<OrderId>> {
    use order::Column as C;
    let mut insert = Query::insert();
    insert.into_table(order::Entity).columns([
        C::Id,
        C::TenantId,
        C::TableSessionId,
        C::TableLabel,
        C::BusinessDay,
        C::Number,
        C::Status,
        C::RequestId,
        C::CheckoutId,
        C::ContentHash,
        C::NotesHash,
        C::Caller,
        C::Device,
        C::Note,
        C::Currency,
        C::TotalMinor,
        C::PlacedAtMs,
        C::Version,
    ]);
    for order in orders {
        let receipt = &order.receipt;
        insert.values_panic([
            receipt.order_id.0.into(),
            order.tenant.0.into(),
            receipt.table_session_id.0.into(),
            receipt.table.clone().into(),
            order.business_day.clone().into(),
            receipt.number.into(),
            "PLACED".into(),
            receipt.request_id.as_uuid().into(),
            order.checkout.map(|c| c.0).into(),
            order.content_hash.to_vec().into(),
            order.notes_hash.to_vec().into(),
            order.caller.clone().into(),
            order.device.clone().into(),
            receipt.note.clone().into(),
            receipt.currency.as_str().into(),
            receipt.total_minor.into(),
            receipt.placed_at_ms.into(),
            1_i64.into(),
        ]);
    }
    insert
        .on_conflict(
            OnConflict::columns([C::TenantId, C::BusinessDay, C::Number])
                .do_nothing()
                .to_owned(),
        )
        .returning_col(C::Id);
    txn.conn()
        .query_all(&insert)
        .await?
        .iter()
        .map(|row| Ok(OrderId(row.try_get_by_index::<Uuid>(0)?)))
        .collect()
}

/// Inserts the lines of orders: one statement for lines, one for toppings if there are any.
pub async fn insert_lines(txn: &Txn, receipts: &[&Receipt]) -> Result<()> {
    let positions = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let lines = receipts.iter().flat_map(|receipt| {
        receipt
            .lines
            .iter()
            .enumerate()
            .map(move |(i, line)| order_line::ActiveModel {
                order_id: Set(receipt.order_id.0),
                position: Set(positions(i)),
                menu_item_id: Set(line.item_id.0),
                sku: Set(line.sku.clone()),
                name_ja: Set(line.name.ja.clone()),
                name_en: Set(line.name.en.clone()),
                station: Set(line.station.clone()),
                quantity: Set(line.quantity),
                unit_price_minor: Set(line.unit_price_minor),
                line_total_minor: Set(line.line_total_minor),
                tax_rate_bp: Set(line.tax_rate_bp),
                note: Set(line.note.clone()),
                taken: Set(line.taken),
            })
    });
    order_line::Entity::insert_many(lines)
        .exec_without_returning(txn.conn())
        .await?;
    let toppings: Vec<_> = receipts
        .iter()
        .flat_map(|receipt| {
            receipt.lines.iter().enumerate().flat_map(move |(i, line)| {
                line.toppings
                    .iter()
                    .enumerate()
                    .map(move |(j, topping)| order_line_topping::ActiveModel {
                        order_id: Set(receipt.order_id.0),
                        line_position: Set(positions(i)),
                        position: Set(positions(j)),
                        topping_id: Set(topping.topping_id.0),
                        name_ja: Set(topping.name.ja.clone()),
                        name_en: Set(topping.name.en.clone()),
                        quantity: Set(topping.quantity),
                        unit_price_minor: Set(topping.unit_price_minor),
                        taken: Set(topping.taken),
                    })
            })
        })
        .collect();
    if !toppings.is_empty() {
        order_line_topping::Entity::insert_many(toppings)
            .exec_without_returning(txn.conn())
            .await?;
    }
    Ok(())
}

/// Locks an order of a tenant and says where it stands.
pub async fn lock(txn: &Txn, tenant: TenantId, id: OrderId) -> Result<Option<Standing>> {
    order::Entity::find()
        .filter(order::Column::Id.eq(id.0))
        .filter(order::Column::TenantId.eq(tenant.0))
        .lock_exclusive()
        .one(txn.conn())
        .await?
        .map(|row| standing(&row))
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

/// Finds orders of a tenant by id. *Shape*: in no order.
pub async fn find(db: &Db, tenant: TenantId, ids: &[OrderId]) -> Result<Vec<Order>> {
    load(&db.reader, tenant, by_ids(ids)).await
}

/// Finds orders of a tenant by id, inside a transaction.
pub async fn find_in_txn(txn: &Txn, tenant: TenantId, ids: &[OrderId]) -> Result<Vec<Order>> {
    load(txn.conn(), tenant, by_ids(ids)).await
}

/// Finds the order that a key placed, as long as the order exists. A key that was used again after its retention has placed
/// two; the newer one is meant.
pub async fn by_request(db: &Db, tenant: TenantId, request: RequestId) -> Result<Option<Order>> {
    Ok(newest(load(&db.reader, tenant, by_key(request)).await?))
}

/// Finds the order that a key placed, inside a transaction.
pub async fn by_request_in_txn(txn: &Txn, tenant: TenantId, request: RequestId) -> Result<Option<Order>> {
    Ok(newest(load(txn.conn(), tenant, by_key(request)).await?))
}

/// Reads a page, newest first.
pub async fn page(
    db: &Db,
    tenant: TenantId,
    table_session: Option<TableSessionId>,
    limit: u64,
    after: Option<Cursor>,
) -> Result<Vec<Order>> {
    use order::Column as C;
    let mut query = order::Entity::find()
        .filter(C::TenantId.eq(tenant.0))
        .order_by_desc(C::PlacedAtMs)
        .order_by_desc(C::Id)
        .limit(limit);
    if let Some(session) = table_session {
        query = query.filter(C::TableSessionId.eq(session.0));
    }
    if let Some(cursor) = after {
        query = query.filter(
            Condition::any().add(C::PlacedAtMs.lt(cursor.placed_at_ms)).add(
                Condition::all()
                    .add(C::PlacedAtMs.eq(cursor.placed_at_ms))
                    .add(C::Id.lt(cursor.id.0)),
            ),
        );
    }
    assemble(&db.reader, query.all(&db.reader).await?).await
}

fn by_ids(ids: &[OrderId]) -> Condition {
    Condition::all().add(order::Column::Id.is_in(ids.iter().map(|id| id.0)))
}

fn by_key(request: RequestId) -> Condition {
    Condition::all().add(order::Column::RequestId.eq(request.as_uuid()))
}

fn newest(orders: Vec<Order>) -> Option<Order> {
    orders
        .into_iter()
        .max_by_key(|o| (o.receipt.placed_at_ms, o.receipt.order_id))
}

async fn load(db: &impl ConnectionTrait, tenant: TenantId, condition: Condition) -> Result<Vec<Order>> {
    let rows = order::Entity::find()
        .filter(order::Column::TenantId.eq(tenant.0))
        .filter(condition)
        .all(db)
        .await?;
    assemble(db, rows).await
}

/// Puts orders together from their rows, keeping their order: three statements, however many orders.
async fn assemble(db: &impl ConnectionTrait, rows: Vec<order::Model>) -> Result<Vec<Order>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = rows.iter().map(|r| r.id).collect();
    let mut toppings: BTreeMap<(Uuid, i64), Vec<ReceiptTopping>> = BTreeMap::new();
    let topping_rows = order_line_topping::Entity::find()
        .filter(order_line_topping::Column::OrderId.is_in(ids.iter().copied()))
        .order_by_asc(order_line_topping::Column::Position)
        .all(db)
        .await?;
    for row in topping_rows {
        toppings
            .entry((row.order_id, row.line_position))
            .or_default()
            .push(ReceiptTopping {
                topping_id: ToppingId(row.topping_id),
                name: LocalText {
                    ja: row.name_ja,
                    en: row.name_en,
                },
                quantity: row.quantity,
                unit_price_minor: row.unit_price_minor,
                taken: row.taken,
            });
    }
    let mut lines: HashMap<Uuid, Vec<ReceiptLine>> = HashMap::new();
    let line_rows = order_line::Entity::find()
        .filter(order_line::Column::OrderId.is_in(ids.iter().copied()))
        .order_by_asc(order_line::Column::Position)
        .all(db)
        .await?;
    for row in line_rows {
        lines.entry(row.order_id).or_default().push(ReceiptLine {
            item_id: MenuItemId(row.menu_item_id),
            sku: row.sku,
            name: LocalText {
                ja: row.name_ja,
                en: row.name_en,
            },
            station: row.station,
            quantity: row.quantity,
            unit_price_minor: row.unit_price_minor,
            line_total_minor: row.line_total_minor,
            tax_rate_bp: row.tax_rate_bp,
            note: row.note,
            taken: row.taken,
            toppings: toppings.remove(&(row.order_id, row.position)).unwrap_or_default(),
        });
    }
    let order_ids: Vec<OrderId> = ids.into_iter().map(OrderId).collect();
    let mut tickets = tickets::by_orders(db, &order_ids).await?;
    rows.into_iter()
        .map(|row| {
            let id = OrderId(row.id);
            Ok(Order {
                checkout: row.checkout_id.map(CheckoutId),
                standing: standing(&row)?,
                cancelled_at_ms: row.cancelled_at_ms,
                version: row.version,
                ticket: tickets.remove(&id),
                receipt: Receipt {
                    order_id: id,
                    request_id: RequestId::from_uuid(row.request_id).map_err(|_| inconsistent("request_id", id))?,
                    number: row.number,
                    table_session_id: TableSessionId(row.table_session_id),
                    table: row.table_label,
                    placed_at_ms: row.placed_at_ms,
                    currency: Currency::parse(&row.currency).map_err(|_| inconsistent("currency", id))?,
                    total_minor: row.total_minor,
                    note: row.note,
                    lines: lines.remove(&row.id).unwrap_or_default(),
                },
            })
        })
        .collect()
}

fn standing(row: &order::Model) -> Result<Standing> {
    match row.status.as_str() {
        "PLACED" => Ok(Standing::Placed),
        "CANCELLED" | "REFUSED" => Ok(Standing::Cancelled),
        "PENDING" | "NEEDS_ATTENTION" => Ok(Standing::Pending),
        _ => Err(inconsistent("status", OrderId(row.id))),
    }
}

fn inconsistent(column: &'static str, order: OrderId) -> Failure {
    Failure::Inconsistent {
        table: "orders",
        column,
        row: order.to_string(),
    }
}
