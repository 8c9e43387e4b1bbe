//! Reading.

use super::caller::Caller;
use super::defaulted::IntOr;
use super::object::audit::AuditEntry;
use super::object::kitchen::{KitchenTicket, TicketState};
use super::object::menu::Menu;
use super::object::order::{Order, OrderConnection};
use super::object::shop::Shop;
use super::object::status::PlacementStatus;
use super::object::table_session::TableSession;
use super::scalar::Uuid;
use crate::audit::{self, Subject};
use crate::kitchen::ticket::State;
use crate::ordering::command::{InputError, parse_request_id, parse_uuid};
use crate::ordering::history::Cursor;
use crate::ordering::{history, status};
use crate::principal::Role;
use crate::refusal::Refusal;
use crate::{catalog, kitchen, tables};
use async_graphql::{Context, Description, ID, Object};
use masterorder_protocol::ids::{OrderId, TableSessionId};

/// Reading. Everything is scoped to the caller's shop; guests see their own table session.
#[derive(Description)]
pub struct Query;

#[Object(use_type_description)]
impl Query {
    /// The shop.
    async fn shop(&self, ctx: &Context<'_>) -> Result<Shop, Refusal> {
        let caller = Caller::of(ctx);
        Ok(Shop(catalog::read::shop(&caller.app, caller.principal()?).await?))
    }

    /// The menu with what is left.
    // a menu has some dozens of dishes
    #[graphql(complexity = "20 * child_complexity + 1")]
    async fn menu(&self, ctx: &Context<'_>) -> Result<Menu, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        let current = catalog::read::menu(&caller.app, principal).await?;
        Ok(Menu {
            catalogue: current.menu,
            stock: current.stock,
            currency: current.shop.currency,
        })
    }

    /// A table session; a guest's own if no id is given. `NOT_FOUND` for what the caller may not see.
    async fn table_session(&self, ctx: &Context<'_>, id: Option<ID>) -> Option<Result<TableSession, Refusal>> {
        Some(table_session(Caller::of(ctx), id).await)
    }

    /// Orders, newest first: a guest's own table session, or the whole shop unless narrowed down to one.
    #[graphql(complexity = "first.0.clamp(1, history::MAX_PAGE) as usize * child_complexity + 1")]
    async fn orders(
        &self,
        ctx: &Context<'_>,
        #[graphql(default, desc = "How many: 1 to 100.")] first: IntOr<20>,
        #[graphql(desc = "The `endCursor` of the page before.")] after: Option<String>,
        #[graphql(desc = "Of this table session only.")] table_session_id: Option<ID>,
    ) -> Result<OrderConnection, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        let session = table_session_id
            .map(|id| parse_uuid("tableSessionId", &id).map(TableSessionId))
            .transpose()?;
        let after = after.as_deref().map(Cursor::decode).transpose()?;
        Ok(history::page(&caller.app, principal, session, first.0, after)
            .await?
            .into())
    }

    /// An order. `NOT_FOUND` for what the caller may not see.
    async fn order(&self, ctx: &Context<'_>, id: ID) -> Option<Result<Order, Refusal>> {
        Some(order(Caller::of(ctx), &id).await)
    }

    /// What became of a `requestId`. `UNKNOWN` means nothing is known *yet*: send the same `requestId` again.
    async fn placement_status(&self, ctx: &Context<'_>, request_id: Uuid) -> Result<PlacementStatus, Refusal> {
        let caller = Caller::of(ctx);
        Ok(PlacementStatus(
            status::status(&caller.app, caller.principal()?, &request_id.0).await?,
        ))
    }

    /// The kitchen's tickets, oldest first. Staff only.
    // a full kitchen has some dozens of tickets
    #[graphql(complexity = "20 * child_complexity + 1")]
    async fn kitchen_tickets(
        &self,
        ctx: &Context<'_>,
        #[graphql(default_with = "on_the_board()")] states: Option<Vec<TicketState>>,
    ) -> Result<Vec<KitchenTicket<'_>>, Refusal> {
        let caller = Caller::of(ctx);
        let states: Vec<State> = states
            .or_else(on_the_board)
            .into_iter()
            .flatten()
            .map(State::from)
            .collect();
        let tickets = kitchen::tickets(&caller.app, caller.principal()?, &states).await?;
        Ok(tickets.into_iter().map(KitchenTicket::from).collect())
    }

    /// What happened under a `requestId`, to an order, or at a table session, oldest first: did two tickets really arrive, or one
    /// shown twice? Give exactly one of the three. Staff only.
    #[graphql(complexity = "first.0.clamp(1, audit::MAX_READ) as usize * child_complexity + 1")]
    async fn audit_trail(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Every attempt under this key.")] request_id: Option<Uuid>,
        #[graphql(desc = "Everything about this order.")] order_id: Option<ID>,
        #[graphql(desc = "Everything at this table session.")] table_session_id: Option<ID>,
        #[graphql(default, desc = "How many of the newest: 1 to 500.")] first: IntOr<200>,
    ) -> Result<Vec<AuditEntry>, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        let of = match (request_id, order_id, table_session_id) {
            (Some(key), None, None) => Subject::Request(parse_request_id(&key.0)?),
            (None, Some(id), None) => Subject::Order(OrderId(parse_uuid("orderId", &id)?)),
            (None, None, Some(id)) => Subject::TableSession(TableSessionId(parse_uuid("tableSessionId", &id)?)),
            _ => {
                let rule = "give exactly one of requestId, orderId and tableSessionId";
                return Err(InputError::new("auditTrail", rule).into());
            }
        };
        let entries = audit::trail(&caller.app, principal, of, first.0).await?;
        Ok(entries.into_iter().map(AuditEntry).collect())
    }
}

/// What the kitchen has to do with.
fn on_the_board() -> Option<Vec<TicketState>> {
    Some(vec![TicketState::Received, TicketState::Cooking, TicketState::Ready])
}

async fn order(caller: &Caller, id: &ID) -> Result<Order, Refusal> {
    caller.principal()?;
    let id = OrderId(parse_uuid("id", id)?);
    caller.order(id).await?.ok_or(Refusal::NotFound("order"))
}

async fn table_session(caller: &Caller, id: Option<ID>) -> Result<TableSession, Refusal> {
    let principal = caller.principal()?;
    let id = match (id, principal.role) {
        (Some(id), _) => TableSessionId(parse_uuid("id", &id)?),
        (None, Role::Guest(own)) => own,
        (None, _) => {
            return Err(InputError::new("id", "is required of staff and integrators").into());
        }
    };
    let found = tables::find(&caller.app, principal, id).await?;
    found.map(TableSession).ok_or(Refusal::NotFound("table session"))
}
