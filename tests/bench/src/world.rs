//! The shops that the benchmark orders from, all made of numbers: whoever knows the number of an order knows what is in it.

use uuid::{Builder, Uuid};

/// Shops, each an account of its own.
pub const SHOPS: u64 = 200;
/// Items on each shop's menu.
pub const ITEMS: u64 = 100;
/// Toppings of each shop; each goes with every item.
pub const TOPPINGS: u64 = 10;
/// Table sessions of all shops together.
pub const SESSIONS: u64 = 20_000;

/// Rows that the benchmark brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A shop's account.
    Tenant = 1,
    /// Its number is that of its shop.
    Item = 4,
    /// Likewise.
    Topping = 6,
    /// Session `n` is at shop `n % SHOPS`.
    Session = 7,
}

/// The id of a row, as `bench_id` makes it in SQL.
pub fn id(kind: Kind, n: u64) -> Uuid {
    Uuid::from_u128((0x0190_a000_0000_7000_8000 | kind as u128) << 48 | u128::from(n))
}

/// A table session's PIN, as the seed writes it.
pub fn pin(session: u64) -> u64 {
    1000 + session % 9000
}

/// The key that the staff of a shop has.
pub fn staff_key(shop: u64) -> String {
    format!("mo_test_bench{shop:06}")
}

/// An order that a guest places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Which one.
    pub number: u64,
    /// At which table session.
    pub session: u64,
    /// One piece, with the topping.
    pub with_topping: u64,
    /// Two pieces.
    pub plain: u64,
    /// On the first line.
    pub topping: u64,
}

impl Order {
    /// The order with a number. Consecutive orders are of different table sessions, and no table session orders the same cart
    /// again before 9,900 others.
    pub fn number(number: u64) -> Self {
        let session = number % SESSIONS;
        let round = number / SESSIONS;
        let shop = session % SHOPS;
        // an ordered pair of different items
        let first = (session / SHOPS + round) % ITEMS;
        let second = (first + 1 + (round / ITEMS) % (ITEMS - 1)) % ITEMS;
        Self {
            number,
            session,
            with_topping: shop * ITEMS + first,
            plain: shop * ITEMS + second,
            topping: shop * TOPPINGS + number % TOPPINGS,
        }
    }

    /// What it costs, in yen.
    pub fn total(&self) -> u64 {
        let price = |item: u64| 500 + 10 * (item % ITEMS);
        price(self.with_topping) + 50 + 10 * (self.topping % TOPPINGS) + 2 * price(self.plain)
    }
}

/// Ids that look random and can be had again: those of a run's orders.
#[derive(Debug, Clone, Copy)]
pub struct Scatter(pub u64);

/// What an order's ids are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The idempotency key.
    Request = 1,
    /// The cart.
    Checkout = 2,
    /// The device.
    Device = 3,
    /// Another key for the same cart.
    SecondRequest = 4,
}

impl Scatter {
    /// A UUID v4.
    pub fn id(self, purpose: Purpose, number: u64) -> Uuid {
        let high = mix(self.0 ^ mix(number ^ (purpose as u64) << 60));
        let low = mix(high ^ number);
        Builder::from_random_bytes((u128::from(high) << 64 | u128::from(low)).to_be_bytes()).into_uuid()
    }
}

/// The finaliser of splitmix64: every bit of the result hangs on every bit of the input.
pub fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_cart_comes_again_at_a_table_session() {
        for session in [0, 1, 199, 200, SESSIONS - 1] {
            let rounds = ITEMS * (ITEMS - 1);
            let carts: HashSet<_> = (0..rounds)
                .map(|round| Order::number(round * SESSIONS + session))
                .map(|order| (order.with_topping, order.plain))
                .collect();
            assert_eq!(carts.len() as u64, rounds);
            assert!(carts.iter().all(|(a, b)| a != b));
        }
    }

    #[test]
    fn an_order_is_of_one_shop() {
        for number in [0, 7, 19_999, 20_000, 1_234_567] {
            let order = Order::number(number);
            let shop = order.session % SHOPS;
            assert_eq!(order.with_topping / ITEMS, shop);
            assert_eq!(order.plain / ITEMS, shop);
            assert_eq!(order.topping / TOPPINGS, shop);
        }
    }

    #[test]
    fn ids_are_of_version_4_and_differ() {
        let scatter = Scatter(7);
        let ids: HashSet<_> = (0..1000)
            .flat_map(|n| [Purpose::Request, Purpose::Checkout, Purpose::Device].map(|p| scatter.id(p, n)))
            .collect();
        assert_eq!(ids.len(), 3000);
        assert!(ids.iter().all(|id| id.get_version_num() == 4));
        assert_eq!(scatter.id(Purpose::Request, 5), scatter.id(Purpose::Request, 5));
    }
}
