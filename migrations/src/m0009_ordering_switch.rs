//! The switch by which staff stop the orders of a shop.

crate::column::migration!(
    "m0009_ordering_switch",
    "ALTER TABLE shops ADD COLUMN takes_orders {bool} NOT NULL DEFAULT TRUE",
    "ALTER TABLE shops DROP COLUMN takes_orders"
);
