//! Identifiers. Each kind is its own type, so that a table session can not be passed where an order is meant.

use core::fmt;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Uuid {
                id.0
            }
        }
    };
}

id!(
    /// The account: owns keys, menu, checkoutIds and exactly one shop.
    TenantId
);
id!(
    /// One party at one table, or one take-out order.
    TableSessionId
);
id!(
    /// An order (UUID v7).
    OrderId
);
id!(
    /// A kitchen ticket (UUID v7); exactly one per placed order.
    TicketId
);
id!(
    /// A dish or drink on the menu.
    MenuItemId
);
id!(
    /// A topping: an extra or a choice inside a topping group.
    ToppingId
);
id!(
    /// An API key's public id; never its secret.
    KeyId
);
id!(
    /// The permanent identity of a cart, made by the client.
    CheckoutId
);
