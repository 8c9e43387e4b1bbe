//! Statements over many rows. The rows are a table of their own in front of the statement, so that one INSERT, UPDATE or SELECT
//! does the work of many, and (on PostgreSQL) its text and its plan stay the same however many there are.

use super::db::Db;
use super::dialect;
use super::failure::Result;
use super::pool::{Pool, Transaction};
use super::txn::Txn;
use masterorder_protocol::ids::OrderId;
use sea_orm::{ConnectionTrait, QueryResult, Value};

/// What a column of the rows holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Uuid,
    /// NULL where the rows say nil.
    UuidOrNull,
    Text,
    Int,
    Bytes,
}

/// Where it runs.
enum Conn<'t> {
    Txn(&'t Transaction),
    Reader(&'t Pool),
}

/// A statement in the making: `WITH rows (…), … ` and what is done with them.
pub(super) struct Bulk<'t> {
    conn: Conn<'t>,
    own_now_ms: Option<i64>,
    with: String,
    values: Vec<Value>,
    /// Values of other statements before its own.
    before: usize,
}

impl<'t> Bulk<'t> {
    pub(super) fn new(txn: &'t Txn) -> Self {
        Self::on(Conn::Txn(txn.conn()), txn.own_now_ms())
    }

    /// Outside of any transaction, on a reader.
    pub(super) fn reading(db: &'t Db) -> Self {
        Self::on(Conn::Reader(&db.reader), db.own_now_ms())
    }

    fn on(conn: Conn<'t>, own_now_ms: Option<i64>) -> Self {
        Self {
            conn,
            own_now_ms,
            with: String::new(),
            values: Vec::new(),
            before: 0,
        }
    }

    /// Numbers its values after those of other statements.
    pub(super) fn numbered_after(self, before: usize) -> Self {
        Self { before, ..self }
    }

    /// Adds a table of rows; there must be at least one.
    pub(super) fn rows<const N: usize>(
        &mut self,
        name: &str,
        columns: [(&str, Kind); N],
        rows: impl IntoIterator<Item = [Value; N]>,
    ) {
        self.with.push_str(if self.with.is_empty() { "WITH " } else { ", " });
        let source = self
            .conn
            .rows(columns.map(|(_, kind)| kind), rows, &mut self.values, self.before);
        let names = columns.map(|(name, _)| name).join(", ");
        self.with.push_str(&format!("{name} ({names}) AS ({source})"));
    }

    /// Binds one value, after the rows. Returns how the statement names it.
    pub(super) fn value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.before + self.values.len())
    }

    /// The present by which rows are judged, after the rows. Returns how the statement names it. *Units*: ms since the Unix epoch.
    pub(super) fn now(&mut self) -> String {
        match self.own_now_ms {
            Some(now_ms) => self.value(now_ms),
            None => dialect::NOW_MS.into(),
        }
    }

    /// The statement, for who runs it together with others.
    pub(super) fn into_parts(self, statement: &str) -> (String, Vec<Value>) {
        (format!("{} {statement}", self.with), self.values)
    }

    /// Runs the statement.
    pub(super) async fn execute(self, statement: &str) -> Result<()> {
        let text = format!("{} {statement}", self.with);
        match self.conn {
            Conn::Txn(txn) => txn.execute_raw(dialect::bound(txn, text, self.values)).await?,
            Conn::Reader(pool) => pool.execute_raw(dialect::bound(pool, text, self.values)).await?,
        };
        Ok(())
    }

    /// Runs the statement. Returns its rows.
    pub(super) async fn query(self, statement: &str) -> Result<Vec<QueryResult>> {
        let text = format!("{} {statement}", self.with);
        Ok(match self.conn {
            Conn::Txn(txn) => txn.query_all_raw(dialect::bound(txn, text, self.values)).await?,
            Conn::Reader(pool) => pool.query_all_raw(dialect::bound(pool, text, self.values)).await?,
        })
    }
}

impl Conn<'_> {
    fn rows<const N: usize>(
        &self,
        columns: [Kind; N],
        rows: impl IntoIterator<Item = [Value; N]>,
        values: &mut Vec<Value>,
        before: usize,
    ) -> String {
        match self {
            Self::Txn(txn) => dialect::rows(*txn, columns, rows, values, before),
            Self::Reader(pool) => dialect::rows(*pool, columns, rows, values, before),
        }
    }
}

/// Where a read runs that is wanted inside of a transaction and outside.
#[derive(Clone, Copy)]
pub(super) enum Source<'t> {
    /// Inside.
    Txn(&'t Txn),
    /// Outside, on a reader.
    Reader(&'t Db),
}

impl<'t> Source<'t> {
    pub(super) fn bulk(self) -> Bulk<'t> {
        match self {
            Self::Txn(txn) => Bulk::new(txn),
            Self::Reader(db) => Bulk::reading(db),
        }
    }

    /// Reads the rows of a table that belong to these orders, sorted by a column. There must be at least one order.
    pub(super) async fn of_orders(self, table: &str, orders: &[OrderId], sorted_by: &str) -> Result<Vec<QueryResult>> {
        let mut bulk = self.bulk();
        bulk.rows("r", [("id", Kind::Uuid)], orders.iter().map(|order| [order.0.into()]));
        bulk.query(&format!(
            "SELECT t.* FROM r JOIN {table} t ON t.order_id = r.id ORDER BY t.{sorted_by}"
        ))
        .await
    }
}

/// Puts rows that say for which key they are, in their column `position`, in the order of the keys.
pub(super) fn in_order<T>(
    keys: usize,
    rows: Vec<QueryResult>,
    read: impl Fn(&QueryResult) -> Result<T>,
) -> Result<Vec<Option<T>>> {
    let mut ordered: Vec<Option<T>> = std::iter::repeat_with(|| None).take(keys).collect();
    for row in &rows {
        let position: i64 = row.try_get("", "position")?;
        if let Some(place) = usize::try_from(position).ok().and_then(|i| ordered.get_mut(i)) {
            *place = Some(read(row)?);
        }
    }
    Ok(ordered)
}
