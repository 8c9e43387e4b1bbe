//! Who asks, in which language. Made for one request and gone with it, and so is every cache in it.

use super::loader::OrderLoader;
use super::object::order::Order;
use crate::app::App;
use crate::lang::Lang;
use crate::principal::Principal;
use crate::refusal::Refusal;
use async_graphql::Context;
use async_graphql::dataloader::DataLoader;
use masterorder_protocol::ids::OrderId;
use masterorder_protocol::request_id::RequestId;
use std::sync::Arc;

/// What every resolver knows about its request.
pub struct Caller {
    /// The use cases' world.
    pub app: Arc<App>,
    /// The reader's language.
    pub lang: Lang,
    /// The `Idempotency-Key` header, as far as it is a UUID v4.
    pub header_key: Option<RequestId>,
    authenticated: Option<Authenticated>,
}

struct Authenticated {
    principal: Arc<Principal>,
    orders: DataLoader<OrderLoader>,
}

impl Caller {
    /// Puts a caller together; `principal` is `None` for the anonymous, who may read the schema only.
    pub fn new(app: Arc<App>, principal: Option<Principal>, lang: Lang, header_key: Option<RequestId>) -> Self {
        let authenticated = principal.map(|principal| {
            let principal = Arc::new(principal);
            let loader = OrderLoader {
                app: app.clone(),
                principal: principal.clone(),
            };
            Authenticated {
                principal,
                orders: DataLoader::new(loader, tokio::spawn),
            }
        });
        Self {
            app,
            lang,
            header_key,
            authenticated,
        }
    }

    /// The caller of the request at work.
    pub fn of<'a>(ctx: &Context<'a>) -> &'a Self {
        ctx.data_unchecked()
    }

    /// Who asks.
    ///
    /// *Errors*: nobody known.
    pub fn principal(&self) -> Result<&Principal, Refusal> {
        self.authenticated().map(|known| &*known.principal)
    }

    /// Finds an order that the caller may read, together with what else is asked for at this moment.
    pub async fn order(&self, id: OrderId) -> Result<Option<Order>, Refusal> {
        Ok(self.authenticated()?.orders.load_one(id).await?.map(Order))
    }

    fn authenticated(&self) -> Result<&Authenticated, Refusal> {
        self.authenticated.as_ref().ok_or(Refusal::ANONYMOUS)
    }
}
