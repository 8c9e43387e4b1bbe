//! Writes a menu: the rows that differ from what stands, set by set. Nothing is deleted but the links between items and
//! topping groups, which nothing points to.

use super::catalog;
use super::entity::{item_topping_group, menu_item, menu_section, stock_level, topping, topping_group};
use super::failure::{Failure, Result};
use super::menu_rows::MenuRows;
use super::txn::Txn;
use crate::catalog::Catalogue;
use masterorder_protocol::ids::{MenuItemId, TenantId};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IdenStatic, IntoActiveModel, Iterable, QueryFilter};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Values in one statement: far below what SQLite (32,766) and PostgreSQL (65,535) take, and large enough that the round
/// trips of a large menu do not count.
const PARAMETERS: usize = 8_000;

/// Columns that never change once a row stands. Leaving them out of an update also keeps PostgreSQL's lock on the row a weak
/// one (NO KEY UPDATE).
const FIXED: [&str; 4] = ["id", "tenant_id", "sku", "source_key"];

/// What must be written to make of the stored menu another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    tenant: TenantId,
    sections: Vec<menu_section::Model>,
    groups: Vec<topping_group::Model>,
    toppings: Vec<topping::Model>,
    items: Vec<menu_item::Model>,
    /// Items whose links are written anew.
    relinked: BTreeSet<Uuid>,
    links: Vec<item_topping_group::Model>,
    levels: Vec<stock_level::Model>,
}

impl Difference {
    /// Compares what stands with what shall stand. `supply` is what is put in where stock is tracked from now on.
    /// *Units*: pieces, by item or topping.
    pub fn between(tenant: TenantId, before: &MenuRows, after: &Catalogue, supply: &BTreeMap<Uuid, i64>) -> Self {
        let rows = MenuRows::of(tenant, after);
        let item_of = |link: &item_topping_group::Model| link.item_id;
        let relinked: BTreeSet<Uuid> = changed(&before.links, &rows.links)
            .chain(changed(&rows.links, &before.links))
            .map(item_of)
            .collect();
        let links = rows.links.values().filter(|link| relinked.contains(&link.item_id));
        Self {
            tenant,
            sections: changed(&before.sections, &rows.sections).cloned().collect(),
            groups: changed(&before.groups, &rows.groups).cloned().collect(),
            toppings: changed(&before.toppings, &rows.toppings).cloned().collect(),
            items: changed(&before.items, &rows.items).cloned().collect(),
            links: links.cloned().collect(),
            relinked,
            levels: supply
                .iter()
                .map(|(subject, pieces)| stock_level::Model {
                    subject_id: *subject,
                    kind: match after.items.contains_key(&MenuItemId(*subject)) {
                        true => "ITEM".into(),
                        false => "TOPPING".into(),
                    },
                    tenant_id: tenant.0,
                    quantity: *pieces,
                    supplied: *pieces,
                })
                .collect(),
        }
    }

    /// Nothing is to be written.
    pub fn is_empty(&self) -> bool {
        self.rows() == 0 && self.relinked.is_empty()
    }

    /// How many rows are to be written.
    pub fn rows(&self) -> usize {
        self.sections.len()
            + self.groups.len()
            + self.toppings.len()
            + self.items.len()
            + self.links.len()
            + self.levels.len()
    }
}

/// Writes a difference to the menu that stands at version `from`, and makes it the next version. `on_rows` is told how many
/// rows are written so far.
///
/// *Errors*: `Serialization` when the menu is no longer at that version: roll back, read and compare again.
///
/// *Transaction*: lock order stock → shop → menu. Placements never lock the last two, so that they and an import do not wait
/// for each other; another import waits at the shop's row.
pub async fn write(txn: &Txn, from: i64, difference: &Difference, on_rows: &dyn Fn(usize)) -> Result<()> {
    track(txn, difference).await?;
    if !catalog::advance_version(txn, difference.tenant, from).await? {
        return Err(Failure::Serialization);
    }
    write_rows(txn, difference, on_rows).await
}

/// Writes the first menu of a shop that was inserted in this transaction.
pub(super) async fn write_first(txn: &Txn, difference: &Difference) -> Result<()> {
    track(txn, difference).await?;
    write_rows(txn, difference, &|_| ()).await
}

/// Whoever tracks a level that another transaction has begun to track finds the version changed a moment later.
async fn track(txn: &Txn, difference: &Difference) -> Result<()> {
    for levels in chunks::<stock_level::Entity>(&difference.levels) {
        stock_level::Entity::insert_many(levels.iter().cloned().map(IntoActiveModel::into_active_model))
            .on_conflict(
                OnConflict::column(stock_level::Column::SubjectId)
                    .do_nothing()
                    .to_owned(),
            )
            .exec_without_returning(txn.conn())
            .await?;
    }
    Ok(())
}

/// In the order in which rows point to each other.
async fn write_rows(txn: &Txn, difference: &Difference, on_rows: &dyn Fn(usize)) -> Result<()> {
    let mut written = difference.levels.len();
    let mut on_chunk = |rows: usize| {
        written += rows;
        on_rows(written);
    };
    upsert::<menu_section::Entity>(txn, &difference.sections, &mut on_chunk).await?;
    upsert::<topping_group::Entity>(txn, &difference.groups, &mut on_chunk).await?;
    upsert::<topping::Entity>(txn, &difference.toppings, &mut on_chunk).await?;
    upsert::<menu_item::Entity>(txn, &difference.items, &mut on_chunk).await?;
    let relinked: Vec<Uuid> = difference.relinked.iter().copied().collect();
    for items in relinked.chunks(PARAMETERS) {
        item_topping_group::Entity::delete_many()
            .filter(item_topping_group::Column::ItemId.is_in(items.iter().copied()))
            .exec(txn.conn())
            .await?;
    }
    for links in chunks::<item_topping_group::Entity>(&difference.links) {
        item_topping_group::Entity::insert_many(links.iter().cloned().map(IntoActiveModel::into_active_model))
            .exec_without_returning(txn.conn())
            .await?;
        on_chunk(links.len());
    }
    Ok(())
}

/// Inserts rows, or updates those whose id stands.
async fn upsert<E>(txn: &Txn, rows: &[E::Model], on_chunk: &mut impl FnMut(usize)) -> Result<()>
where
    E: EntityTrait,
    E::ActiveModel: ActiveModelTrait<Entity = E> + Send,
    E::Model: IntoActiveModel<E::ActiveModel>,
{
    let changing = || E::Column::iter().filter(|column| !FIXED.contains(&column.as_str()));
    for chunk in chunks::<E>(rows) {
        E::insert_many(chunk.iter().cloned().map(IntoActiveModel::into_active_model))
            .on_conflict(
                OnConflict::columns(E::PrimaryKey::iter())
                    .update_columns(changing())
                    .to_owned(),
            )
            .exec_without_returning(txn.conn())
            .await?;
        on_chunk(chunk.len());
    }
    Ok(())
}

fn chunks<E: EntityTrait>(rows: &[E::Model]) -> std::slice::Chunks<'_, E::Model> {
    rows.chunks(PARAMETERS / E::Column::iter().count().max(1))
}

/// Rows of `after` that do not stand like this in `before`.
fn changed<'a, K: Ord, M: Eq>(before: &'a BTreeMap<K, M>, after: &'a BTreeMap<K, M>) -> impl Iterator<Item = &'a M> {
    let stands = |key: &K, row: &M| before.get(key) == Some(row);
    after
        .iter()
        .filter(move |(key, row)| !stands(key, row))
        .map(|(_, row)| row)
}
