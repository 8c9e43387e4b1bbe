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

/// Reads the caller's menu with the stock of what is tracked, by item or topping. *Units*: pieces.
pub async fn menu(app: &App, principal: &Principal) -> Result<(Arc<Catalogue>, BTreeMap<Uuid, i64>), Refusal> {
    let tenant = principal.tenant;
    let version = shop(app, principal).await?.catalogue_version;
    let menu = match app.menus.get(tenant, version) {
        Some(menu) => menu,
        None => {
            let menu = Arc::new(store::catalog::menu(&app.db, tenant).await?);
            app.menus.put(tenant, menu.clone());
            menu
        }
    };
    Ok((menu, store::stock::levels(&app.db, tenant).await?))
}
