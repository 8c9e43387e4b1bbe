//! Reading shop and menu.

use super::{Catalogue, Shop};
use crate::app::App;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::store;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// Reads the caller's shop.
pub async fn shop(app: &App, principal: &Principal) -> Result<Shop, Refusal> {
    let shop = store::catalog::shop(&app.db, principal.tenant).await?;
    shop.ok_or(Refusal::NotFound("shop"))
}

/// A menu as it stands now.
pub struct CurrentMenu {
    /// Whose it is.
    pub shop: Shop,
    /// What is on it.
    pub menu: Arc<Catalogue>,
    /// What is left of tracked items and toppings, by id. *Units*: pieces.
    pub stock: BTreeMap<Uuid, i64>,
}

/// Reads the caller's menu with the stock of what is tracked.
pub async fn menu(app: &App, principal: &Principal) -> Result<CurrentMenu, Refusal> {
    let tenant = principal.tenant;
    let shop = shop(app, principal).await?;
    let menu = match app.menus.get(tenant, shop.catalogue_version) {
        Some(menu) => menu,
        None => {
            let menu = Arc::new(store::catalog::menu(&app.db, tenant).await?);
            app.menus.put(tenant, menu.clone());
            menu
        }
    };
    let stock = store::stock::levels(&app.db, tenant).await?;
    Ok(CurrentMenu { shop, menu, stock })
}
