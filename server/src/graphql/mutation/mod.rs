//! Changing.

/// What the mutations take in.
pub mod input;
/// What they answer.
pub mod payload;

use super::REPLAY_HEADER;
use super::caller::Caller;
use super::object::api_key::ApiKeyKind;
use super::object::kitchen::TicketState;
use super::object::never_null::NeverNull;
use super::object::placement::{PlaceOrderPayload, PlaceOrderResult};
use super::object::shop::Shop;
use super::scalar::Uuid;
use crate::catalog::ordering;
use crate::ordering::command::{InputError, RawOrder, parse_uuid};
use crate::ordering::{cancel, place_order, withdraw};
use crate::refusal::Refusal;
use crate::staff::keys;
use crate::{kitchen, tables};
use async_graphql::{Context, Description, ID, Object};
use input::{OrderingPolicyInput, PlaceOrderInput};
use masterorder_protocol::ids::{KeyId, OrderId, TableSessionId, TicketId};
use masterorder_protocol::request_id::RequestId;
use payload::{
    AdvanceTicketPayload, CancelOrderPayload, CheckoutPayload, CreateKeyPayload, OpenTableSessionPayload,
    RevokeKeyPayload, SetOrderingPayload, SetOrderingPolicyPayload,
};

/// Changing.
#[derive(Description)]
pub struct Mutation;

#[Object(use_type_description)]
impl Mutation {
    /// Places an order exactly once: however often a request arrives with the same `requestId`, the kitchen gets one
    /// ticket, and every answer is the first one. At most one per document.
    async fn place_order(&self, ctx: &Context<'_>, input: PlaceOrderInput) -> Result<PlaceOrderPayload, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        let order = RawOrder::from(input);
        check_header(order.request_id.as_deref(), caller.header_key)?;
        let answer = place_order::place(&caller.app, principal, &order).await?;
        if answer.verdict.is_replay() {
            ctx.insert_http_header(REPLAY_HEADER, "true");
        }
        Ok(answer.into())
    }

    /// Gives a `requestId` up: from then on it places nothing and answers `WITHDRAWN`. If it was too late, the answer is
    /// the order that stands.
    async fn withdraw_placement(
        &self,
        ctx: &Context<'_>,
        request_id: Uuid,
    ) -> Result<NeverNull<PlaceOrderResult>, Refusal> {
        let caller = Caller::of(ctx);
        let answer = withdraw::withdraw(&caller.app, caller.principal()?, &request_id.0).await?;
        Ok(NeverNull(answer.verdict.into()))
    }

    /// Cancels an order: staff, or guests of its table session until cooking starts.
    async fn cancel_order(&self, ctx: &Context<'_>, order_id: ID) -> Result<CancelOrderPayload, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        let order = OrderId(parse_uuid("orderId", &order_id)?);
        Ok(cancel::cancel(&caller.app, principal, order).await?.into())
    }

    /// Opens a table for a party, or finds the one that sits there. Staff only.
    async fn open_table_session(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The table's label: 1 to 40 characters.")] table: String,
    ) -> Result<OpenTableSessionPayload, Refusal> {
        let caller = Caller::of(ctx);
        Ok(tables::open(&caller.app, caller.principal()?, &table).await?.into())
    }

    /// Closes a table session whose party has paid. Its guests may read and replay their orders for another 24 hours. Staff
    /// only.
    async fn checkout(&self, ctx: &Context<'_>, table_session_id: ID) -> Result<CheckoutPayload, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        let session = TableSessionId(parse_uuid("tableSessionId", &table_session_id)?);
        Ok(tables::checkout::checkout(&caller.app, principal, session)
            .await?
            .into())
    }

    /// Starts or stops the shop's orders: at last order, or when the kitchen can not keep up. Who orders while they are
    /// stopped is told `ORDERING_PAUSED`. Staff only.
    async fn set_ordering(&self, ctx: &Context<'_>, takes_orders: bool) -> Result<SetOrderingPayload, Refusal> {
        let caller = Caller::of(ctx);
        Ok(ordering::switch(&caller.app, caller.principal()?, takes_orders)
            .await?
            .into())
    }

    /// Changes how the shop takes orders; what is left out stays as it is. Staff only.
    async fn set_ordering_policy(
        &self,
        ctx: &Context<'_>,
        input: OrderingPolicyInput,
    ) -> Result<SetOrderingPolicyPayload, Refusal> {
        let caller = Caller::of(ctx);
        let shop = ordering::set_policy(&caller.app, caller.principal()?, input.into()).await?;
        Ok(SetOrderingPolicyPayload { shop: Shop(shop) })
    }

    /// Makes an API key. Its secret is shown now and never again. Staff only.
    async fn create_key(
        &self,
        ctx: &Context<'_>,
        kind: ApiKeyKind,
        #[graphql(desc = "Whom it is for: 1 to 100 characters.")] name: String,
    ) -> Result<CreateKeyPayload, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        Ok(keys::create(&caller.app, principal, kind.into(), &name).await?.into())
    }

    /// Revokes an API key for good: it is refused from the next request on, and its sockets are closed within 20 seconds.
    /// Staff only.
    async fn revoke_key(&self, ctx: &Context<'_>, key_id: ID) -> Result<RevokeKeyPayload, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        let key = KeyId(parse_uuid("keyId", &key_id)?);
        Ok(keys::revoke(&caller.app, principal, key).await?.into())
    }

    /// Moves a ticket, if it still is where the caller saw it: two cooks who tap at once move it once. Staff only.
    async fn advance_ticket(
        &self,
        ctx: &Context<'_>,
        ticket_id: ID,
        from: TicketState,
        to: TicketState,
    ) -> Result<AdvanceTicketPayload, Refusal> {
        let caller = Caller::of(ctx);
        let principal = caller.principal()?;
        let ticket = TicketId(parse_uuid("ticketId", &ticket_id)?);
        let advanced = kitchen::advance(&caller.app, principal, ticket, from.into(), to.into()).await?;
        Ok(advanced.into())
    }
}

/// The argument decides. A header that names another key shows that somebody between client and server thinks otherwise;
/// what a browser adds by itself is no UUID v4 and was left out before.
fn check_header(argument: Option<&str>, header: Option<RequestId>) -> Result<(), InputError> {
    let (Some(argument), Some(header)) = (argument, header) else {
        return Ok(());
    };
    match RequestId::parse(argument) {
        Ok(argument) if argument != header => Err(InputError::new(
            "requestId",
            "differs from the Idempotency-Key header; send the same in both, or no header",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "550e8400-e29b-41d4-a716-446655440000";
    const OTHER: &str = "7d793037-a076-4f4b-9d2b-3c9a1e5c8f10";

    #[test]
    fn only_a_header_that_names_another_key_is_refused() {
        let header = RequestId::parse(ONE).ok();
        assert!(check_header(Some(ONE), header).is_ok());
        assert!(check_header(Some(&ONE.to_uppercase()), header).is_ok());
        assert!(check_header(Some(ONE), None).is_ok());
        assert!(check_header(None, header).is_ok());
        assert!(check_header(Some("nonsense"), header).is_ok());
        let refused = check_header(Some(OTHER), header)
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default();
        assert!(
            refused.contains("requestId") && refused.contains("Idempotency-Key"),
            "{refused}"
        );
    }
}
