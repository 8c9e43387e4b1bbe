//! Statements that write different tables, none of which reads what another writes, and that run together.

use super::bulk::{Bulk, Kind};
use super::dialect;
use super::failure::{Failure, Result};
use super::txn::Txn;
use sea_orm::Value;

/// What is to be written. Nothing is until it runs.
pub struct Writes<'t> {
    txn: &'t Txn,
    statements: Vec<(String, Vec<Value>)>,
    /// How many rows each of them must write, and what is wrong otherwise.
    exactly: Vec<Option<(usize, Failure)>>,
}

impl<'t> Writes<'t> {
    /// Nothing so far.
    pub fn new(txn: &'t Txn) -> Self {
        Self {
            txn,
            statements: Vec::new(),
            exactly: Vec::new(),
        }
    }

    /// Begins a statement. Its values are numbered after those before it, where they run as one.
    pub(super) fn bulk(&self) -> Bulk<'t> {
        let before = self.statements.iter().map(|(_, values)| values.len()).sum();
        Bulk::new(self.txn).numbered_after(dialect::values_before(self.txn.conn(), before))
    }

    /// Adds a statement.
    pub(super) fn add(&mut self, bulk: Bulk<'t>, statement: &str) {
        self.push(bulk, statement, None);
    }

    /// Adds a statement that must write so many rows.
    pub(super) fn add_exactly(&mut self, bulk: Bulk<'t>, statement: &str, rows: usize, otherwise: Failure) {
        self.push(bulk, statement, Some((rows, otherwise)));
    }

    /// Adds an INSERT of rows into a table; there must be at least one.
    pub(super) fn insert<const N: usize>(
        &mut self,
        table: &str,
        columns: [(&str, Kind); N],
        rows: impl IntoIterator<Item = [Value; N]>,
    ) {
        let mut bulk = self.bulk();
        bulk.rows("r", columns, rows);
        let names = columns.map(|(name, _)| name).join(", ");
        self.add(bulk, &format!("INSERT INTO {table} ({names}) SELECT {names} FROM r"));
    }

    fn push(&mut self, bulk: Bulk<'t>, statement: &str, exactly: Option<(usize, Failure)>) {
        self.statements.push(bulk.into_parts(statement));
        self.exactly.push(exactly);
    }

    /// Writes everything.
    ///
    /// *Errors*: that of a statement which must write so many rows and wrote others.
    pub async fn run(self) -> Result<()> {
        if self.statements.is_empty() {
            return Ok(());
        }
        let written = dialect::write(self.txn.conn(), self.statements).await?;
        for (exactly, rows) in self.exactly.into_iter().zip(written) {
            match exactly {
                Some((expected, otherwise)) if rows != expected as u64 => return Err(otherwise),
                _ => {}
            }
        }
        Ok(())
    }
}
