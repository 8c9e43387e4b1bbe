//! The product's own decisions, asked with rows of the model: `ordering::decide` (with `duplicates`, `gates`, `pricing`),
//! `ordering::slice::from_stored` (with `idempotency::decision`), `ordering::command::parse`. They are pure, so an answer is
//! computed once and remembered.

use crate::client::{Answer, Ask, No, Nr, Order, Request, Why};
use crate::database::{Claim, OrderRow, Outcome, Set};
use masterorder_protocol::ids::{CheckoutId, MenuItemId, OrderId, TableSessionId, TenantId};
use masterorder_protocol::money::Currency;
use masterorder_protocol::request_id::RequestId;
use masterorder_server::catalog::{Catalogue, Item, OrderingPolicy, Shop};
use masterorder_server::idempotency::{decision, fingerprint};
use masterorder_server::lang::LocalText;
use masterorder_server::ordering::command::{self, Minted, PlaceOrder, RawLine, RawOrder};
use masterorder_server::ordering::decide::{self, Counter, Party, Situation};
use masterorder_server::ordering::duplicates::{self, Duplicate, Earlier, Standing};
use masterorder_server::ordering::outcome::{self, Conflict, Rejection, ReplayReason, Verdict};
use masterorder_server::ordering::receipt::Receipt;
use masterorder_server::ordering::slice;
use masterorder_server::principal::{Principal, Role};
use masterorder_server::store::idempotency::Stored;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use uuid::Uuid;

const TENANT: TenantId = TenantId(Uuid::from_u128(1));
const DISH: u128 = 0xd0;
const FIRST_ERA_MS: i64 = 1_767_225_600_000;
/// Longer than retention.
const ERA_MS: i64 = 73 * 3_600_000;

/// What shall become of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ruling {
    Place,
    Store(Outcome),
    Answer(Answer),
}

/// What an order is decided from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Counted {
    pub(crate) request: Nr,
    pub(crate) confirms: Option<Nr>,
    pub(crate) open: bool,
    pub(crate) earlier: Vec<OrderRow>,
    pub(crate) stock: i8,
    pub(crate) era: Nr,
}

/// The decisions about the requests of a scene.
pub(crate) struct Product {
    asks: Vec<Ask>,
    commands: Vec<Option<PlaceOrder>>,
    menu: Arc<Catalogue>,
    tracks_stock: bool,
    replays: RefCell<HashMap<(Nr, bool, Claim), Answer>>,
    rulings: RefCell<HashMap<Counted, Ruling>>,
}

impl Product {
    pub(crate) fn new(requests: &[Request], tracks_stock: bool) -> Self {
        let asks: Vec<Ask> = requests.iter().map(|r| r.ask).collect();
        Self {
            commands: asks.iter().map(|ask| ask.order().map(command)).collect(),
            asks,
            menu: Arc::new(menu(tracks_stock)),
            tracks_stock,
            replays: RefCell::default(),
            rulings: RefCell::default(),
        }
    }

    /// The requests for the same cart as this one.
    pub(crate) fn sharing_cart(&self, request: Nr) -> Set {
        let mut set = Set::default();
        let cart = self.order(request).cart;
        for (nr, ask) in (0..).zip(&self.asks) {
            if cart.is_some() && ask.order().is_some_and(|o| o.cart == cart) {
                set.add(nr);
            }
        }
        set
    }

    pub(crate) fn order(&self, request: Nr) -> Order {
        match self.asks[usize::from(request)] {
            Ask::Place(order) => order,
            other => panic!("{other:?} is no order"),
        }
    }

    /// What `placeOrder` answers from the claim that stands under its key.
    pub(crate) fn replay(&self, request: Nr, attempt: Nr, claim: &Claim) -> Answer {
        let own = claim.attempt == attempt;
        *self
            .replays
            .borrow_mut()
            .entry((request, own, *claim))
            .or_insert_with(|| {
                let mut command = self.command(request).clone();
                command.attempt = attempt_id(attempt);
                told(slice::from_stored(&command, &self.stored(claim)).answer.ok())
            })
    }

    /// The checkout rule, asked alone.
    pub(crate) fn by_checkout(&self, request: Nr, orders: &[OrderRow]) -> Option<Ruling> {
        let earlier: Vec<Earlier> = orders.iter().map(|o| self.earlier(o)).collect();
        Some(match duplicates::by_checkout(self.command(request), &earlier)? {
            Duplicate::Alias(order, _) => Ruling::Store(Outcome::Alias(number(order))),
            Duplicate::Conflict(conflict) => Ruling::Answer(Answer::Conflict(why(&conflict))),
        })
    }

    /// Everything that is decided under the locks.
    pub(crate) fn decide(&self, counted: Counted) -> Ruling {
        if let Some(ruling) = self.rulings.borrow().get(&counted) {
            return *ruling;
        }
        let ruling = self.ruling(&counted);
        self.rulings.borrow_mut().insert(counted, ruling);
        ruling
    }

    fn ruling(&self, counted: &Counted) -> Ruling {
        let mut command = self.command(counted.request).clone();
        command.confirm_duplicate_of = counted.confirms.map(order_id);
        let party = Party {
            tenant: TENANT,
            table: "T".into(),
            open: counted.open,
            last_placed_at_ms: None,
        };
        let tracked = self.tracks_stock.then(|| (Uuid::from_u128(DISH), counted.stock.into()));
        let situation = Situation {
            now_ms: now_ms(counted.era),
            counters: HashMap::from([(
                TENANT,
                Counter {
                    shop: shop(),
                    menu: self.menu.clone(),
                },
            )]),
            parties: HashMap::from([(command.table_session, party)]),
            earlier: counted.earlier.iter().map(|o| self.earlier(o)).collect(),
            stock: tracked.into_iter().collect(),
        };
        // the id only goes through
        match decide::decide(&[&command], &[order_id(0)], situation).remove(0) {
            decide::Ruling::Place(_) => Ruling::Place,
            decide::Ruling::Alias(order, _) => Ruling::Store(Outcome::Alias(number(order))),
            decide::Ruling::Reject(rejection) => Ruling::Store(Outcome::Rejected(no(&rejection))),
            decide::Ruling::Conflict(conflict) => Ruling::Answer(Answer::Conflict(why(&conflict))),
            decide::Ruling::Input(error) => panic!("the model asked for what is not there: {error}"),
        }
    }

    fn command(&self, request: Nr) -> &PlaceOrder {
        match &self.commands[usize::from(request)] {
            Some(command) => command,
            None => panic!("request {request} is no order"),
        }
    }

    fn earlier(&self, order: &OrderRow) -> Earlier {
        let command = self.command(order.request);
        Earlier {
            id: order_id(order.id),
            tenant: TENANT,
            table_session: command.table_session,
            checkout: command.checkout,
            content_hash: command.content_hash.to_vec(),
            notes_hash: command.notes_hash.to_vec(),
            device: command.principal.device.clone(),
            standing: match order.cancelled {
                true => Standing::Cancelled,
                false => Standing::Placed,
            },
            placed_at_ms: now_ms(order.era),
        }
    }

    fn stored(&self, claim: &Claim) -> Stored {
        let made = match self.asks[usize::from(claim.request)] {
            Ask::Withdraw { table, .. } => decision::Claim {
                fingerprint_version: fingerprint::NO_VERSION,
                fingerprint: Vec::new(),
                field_digests: String::new(),
                caller: guest(table, 0).caller(),
            },
            _ => {
                let command = self.command(claim.request);
                decision::Claim {
                    fingerprint_version: command.fingerprint.version,
                    fingerprint: command.fingerprint.digest.to_vec(),
                    field_digests: command.fingerprint.field_digests.clone(),
                    caller: command.principal.caller(),
                }
            }
        };
        Stored {
            attempt: attempt_id(claim.attempt),
            claim: made,
            outcome: claim.outcome.map(|outcome| match outcome {
                Outcome::Placed(order) => outcome::Outcome::Placed {
                    receipt: receipt(order),
                },
                Outcome::Alias(order) => outcome::Outcome::Alias {
                    receipt: receipt(order),
                    reason: ReplayReason::Checkout,
                },
                Outcome::Rejected(no) => outcome::Outcome::Rejected {
                    rejection: match no {
                        No::SoldOut => Rejection::SoldOut { shortages: Vec::new() },
                        No::SessionClosed => Rejection::SessionClosed,
                        No::Withdrawn => Rejection::Withdrawn,
                    },
                },
            }),
            expired: false,
        }
    }
}

/// The answer to the request that made an outcome.
pub(crate) fn first(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::Placed(order) => Answer::Placed { order, new: true },
        Outcome::Alias(order) => Answer::Placed { order, new: false },
        Outcome::Rejected(no) => Answer::Rejected(no),
    }
}

fn told(verdict: Option<Verdict>) -> Answer {
    match verdict {
        None => Answer::Unavailable,
        Some(Verdict::Placed { receipt, replay, .. }) => Answer::Placed {
            order: number(receipt.order_id),
            new: replay.is_none(),
        },
        Some(Verdict::Rejected { rejection, .. }) => Answer::Rejected(no(&rejection)),
        Some(Verdict::Conflict(conflict)) => Answer::Conflict(why(&conflict)),
    }
}

fn no(rejection: &Rejection) -> No {
    match rejection {
        Rejection::SoldOut { .. } => No::SoldOut,
        Rejection::SessionClosed => No::SessionClosed,
        Rejection::Withdrawn => No::Withdrawn,
        other => panic!("the model's menu never changes: {other:?}"),
    }
}

fn why(conflict: &Conflict) -> Why {
    match conflict {
        Conflict::KeyReused(_) => Why::KeyReused,
        Conflict::CheckoutAlreadyPlaced(_) => Why::CheckoutAlreadyPlaced,
        Conflict::PossibleDuplicate { earlier, .. } => Why::PossibleDuplicate(number(*earlier)),
        Conflict::InProgress => Why::InProgress,
        Conflict::SessionBusy => Why::SessionBusy,
        other => panic!("the model's shop has no such rule: {other:?}"),
    }
}

fn guest(table: Nr, phone: Nr) -> Principal {
    Principal {
        tenant: TENANT,
        role: Role::Guest(TableSessionId(Uuid::from_u128(0x10 + u128::from(table)))),
        device: format!("guest-{phone}"),
    }
}

fn command(order: Order) -> PlaceOrder {
    let raw = RawOrder {
        request_id: Some(request_id(order.key).as_uuid().to_string()),
        checkout_id: order
            .cart
            .map(|cart| CheckoutId(Uuid::from_u128(0xca0 + u128::from(cart))).to_string()),
        lines: vec![RawLine {
            menu_item_id: MenuItemId(Uuid::from_u128(DISH)).to_string(),
            quantity: i64::from(order.dish) + 1,
            ..RawLine::default()
        }],
        ..RawOrder::default()
    };
    let minted = Minted {
        attempt: Uuid::nil(),
        request: Uuid::nil(),
    };
    command::parse(&raw, &guest(order.table, order.phone), minted).unwrap_or_else(|e| panic!("{e}"))
}

fn request_id(key: Nr) -> RequestId {
    let text = format!("550e8400-e29b-41d4-a716-4466554400{key:02x}");
    RequestId::parse(&text).unwrap_or_else(|e| panic!("{e}"))
}

fn attempt_id(attempt: Nr) -> Uuid {
    Uuid::from_u128(0xa0 + u128::from(attempt))
}

fn order_id(order: Nr) -> OrderId {
    OrderId(Uuid::from_u128(u128::from(order)))
}

fn number(order: OrderId) -> Nr {
    Nr::try_from(order.0.as_u128()).unwrap_or_else(|_| panic!("{order} is no order of the model"))
}

fn now_ms(era: Nr) -> i64 {
    FIRST_ERA_MS + ERA_MS * i64::from(era)
}

fn receipt(order: Nr) -> Receipt {
    Receipt {
        order_id: order_id(order),
        request_id: request_id(0),
        number: 1_000,
        table_session_id: TableSessionId(Uuid::nil()),
        table: "T".into(),
        placed_at_ms: FIRST_ERA_MS,
        currency: yen(),
        total_minor: 850,
        note: String::new(),
        lines: Vec::new(),
    }
}

fn yen() -> Currency {
    Currency::parse("JPY").unwrap_or_else(|e| panic!("{e}"))
}

/// The default policy but for the cooldown, which is about time.
fn shop() -> Shop {
    Shop {
        id: Uuid::from_u128(2),
        tenant: TENANT,
        name: nameless(),
        currency: yen(),
        time_zone: "Asia/Tokyo".into(),
        business_day_starts_min: 300,
        policy: OrderingPolicy {
            cooldown_ms: 0,
            ..OrderingPolicy::default()
        },
        takes_orders: true,
        catalogue_version: 1,
    }
}

fn menu(tracks_stock: bool) -> Catalogue {
    let id = MenuItemId(Uuid::from_u128(DISH));
    let ramen = Item {
        id,
        sku: "RAMEN".into(),
        name: nameless(),
        description: nameless(),
        image_url: None,
        allergens: Vec::new(),
        station: "kitchen".into(),
        price_minor: 850,
        tax_rate_bp: 1_000,
        available: true,
        archived: false,
        groups: Vec::new(),
    };
    Catalogue {
        version: 1,
        sections: Vec::new(),
        items: BTreeMap::from([(id, ramen)]),
        groups: BTreeMap::new(),
        toppings: BTreeMap::new(),
        tracked: tracks_stock.then_some(id.0).into_iter().collect::<BTreeSet<_>>(),
    }
}

fn nameless() -> LocalText {
    LocalText {
        ja: String::new(),
        en: String::new(),
    }
}
