//! Orders as they are now, read with their lines and tickets.

use super::bulk::{Kind, Source};
use super::db::Db;
use super::dialect;
use super::entity::{order, order_line, order_line_topping};
use super::failure::Result;
use super::orders::{inconsistent, standing};
use super::tickets;
use super::txn::Txn;
use crate::lang::LocalText;
use crate::ordering::history::{Cursor, MAX_PAGE, Order};
use crate::ordering::receipt::{Receipt, ReceiptLine, ReceiptTopping};
use masterorder_protocol::ids::{CheckoutId, MenuItemId, OrderId, TableSessionId, TenantId, ToppingId};
use masterorder_protocol::money::Currency;
use masterorder_protocol::request_id::RequestId;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, Condition, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, Select};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// Finds orders of a tenant by id. *Shape*: in no order.
pub async fn find(db: &Db, tenant: TenantId, ids: &[OrderId]) -> Result<Vec<Order>> {
    load(Source::Reader(db), tenant, by_ids(ids)).await
}

/// Finds orders of a tenant by id, inside a transaction.
pub async fn find_in_txn(txn: &Txn, tenant: TenantId, ids: &[OrderId]) -> Result<Vec<Order>> {
    load(Source::Txn(txn), tenant, by_ids(ids)).await
}

/// Finds the order that a key placed, as long as the order exists. A key that was used again after its retention has placed
/// two; the newer one is meant.
pub async fn by_request(db: &Db, tenant: TenantId, request: RequestId) -> Result<Option<Order>> {
    Ok(newest(load(Source::Reader(db), tenant, by_key(request)).await?))
}

/// Finds the order that a key placed, inside a transaction.
pub async fn by_request_in_txn(txn: &Txn, tenant: TenantId, request: RequestId) -> Result<Option<Order>> {
    Ok(newest(load(Source::Txn(txn), tenant, by_key(request)).await?))
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
    // a party is one shop's: with both in the query SQLite would look through the shop
    let mut query = order::Entity::find()
        .filter(match table_session {
            Some(session) => C::TableSessionId.eq(session.0),
            None => C::TenantId.eq(tenant.0),
        })
        .order_by_desc(C::PlacedAtMs)
        .order_by_desc(C::Id)
        .limit(limit);
    if let Some(cursor) = after {
        let place = Expr::tuple([Expr::col(C::PlacedAtMs), Expr::col(C::Id)]);
        query = query.filter(place.lt(Expr::tuple([cursor.placed_at_ms.into(), cursor.id.0.into()])));
    }
    let source = Source::Reader(db);
    let mut rows = all(source, query).await?;
    rows.retain(|row| row.tenant_id == tenant.0);
    assemble(source, rows).await
}

/// Reads the newest orders of a party, newest first, together with whoever asks for another's.
pub async fn of_party(db: &Db, tenant: TenantId, session: TableSessionId) -> Result<Vec<Order>> {
    let reader = db.clone();
    let load = move |parties| of_parties(reader.clone(), parties);
    db.shared_reads.parties.get((tenant, session), load).await
}

async fn of_parties(db: Db, parties: Vec<(TenantId, TableSessionId)>) -> Result<Vec<Vec<Order>>> {
    let source = Source::Reader(&db);
    let mut bulk = source.bulk();
    let rows = (0_i64..).zip(&parties);
    bulk.rows(
        "r",
        [("position", Kind::Int), ("session", Kind::Uuid)],
        rows.map(|(i, (_, session))| [i.into(), session.0.into()]),
    );
    let newest = dialect::join_ids(
        &db.reader,
        "orders",
        &format!(
            "SELECT x.id FROM orders x WHERE x.table_session_id = r.session
             ORDER BY x.placed_at_ms DESC, x.id DESC LIMIT {MAX_PAGE}"
        ),
    );
    let rows = bulk
        .query(&format!(
            "SELECT r.position AS party, orders.* FROM r {newest} ORDER BY orders.placed_at_ms DESC, orders.id DESC"
        ))
        .await?;
    let mut whose = Vec::with_capacity(rows.len());
    let mut orders = Vec::with_capacity(rows.len());
    for row in &rows {
        let party = usize::try_from(row.try_get::<i64>("", "party")?).unwrap_or(usize::MAX);
        let order = order::Model::from_query_result(row, "")?;
        if parties
            .get(party)
            .is_some_and(|(tenant, _)| tenant.0 == order.tenant_id)
        {
            whose.push(party);
            orders.push(order);
        }
    }
    let mut found = vec![Vec::new(); parties.len()];
    for (party, order) in whose.into_iter().zip(assemble(source, orders).await?) {
        found[party].push(order);
    }
    Ok(found)
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

async fn load(source: Source<'_>, tenant: TenantId, condition: Condition) -> Result<Vec<Order>> {
    let query = order::Entity::find()
        .filter(order::Column::TenantId.eq(tenant.0))
        .filter(condition);
    assemble(source, all(source, query).await?).await
}

async fn all(source: Source<'_>, query: Select<order::Entity>) -> Result<Vec<order::Model>> {
    Ok(match source {
        Source::Txn(txn) => query.all(txn.conn()).await?,
        Source::Reader(db) => query.all(&db.reader).await?,
    })
}

/// Puts orders together from their rows, keeping their order: three statements, however many orders.
async fn assemble(source: Source<'_>, rows: Vec<order::Model>) -> Result<Vec<Order>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<OrderId> = rows.iter().map(|row| OrderId(row.id)).collect();
    let mut toppings: BTreeMap<(Uuid, i64), Vec<ReceiptTopping>> = BTreeMap::new();
    for row in &source.of_orders("order_line_toppings", &ids, "position").await? {
        let row = order_line_topping::Model::from_query_result(row, "")?;
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
    for row in &source.of_orders("order_lines", &ids, "position").await? {
        let row = order_line::Model::from_query_result(row, "")?;
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
    let mut tickets = tickets::by_orders(source, &ids).await?;
    rows.into_iter()
        .map(|row| {
            let id = OrderId(row.id);
            Ok(Order {
                checkout: row.checkout_id.map(CheckoutId),
                standing: standing(OrderId(row.id), &row.status)?,
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
