//! The statements of a placement are written down twice: in the product and in `transaction`. When the product's change, this
//! test fails; whoever meets it brings the model up to date first, and this list then.

/// Every call from `ordering/` into the store, in the order of the source.
const MODELLED: [(&str, &str, &[&str]); 4] = [
    (
        "slice.rs",
        include_str!("../../server/src/ordering/slice.rs"),
        &[
            "store::idempotency::claim",
            "store::idempotency::find_in_txn",
            "store::idempotency::delete_expired",
            "store::orders::earlier",
            "store::tables::lock",
            "store::orders::earlier",
            "store::stock::lock",
            "store::orders::mark_purged",
            "store::audit::add",
            "store::idempotency::complete",
            "store::idempotency::release",
            "store::history::find_in_txn",
            "store::catalog::shops",
            "store::catalog::menu_in_txn",
        ],
    ),
    (
        "write.rs",
        include_str!("../../server/src/ordering/write.rs"),
        &[
            "store::orders::insert_lines",
            "store::outbox::add",
            "store::tables::mark_placed",
            "store::stock::add",
            "store::orders::insert",
            "store::tickets::add",
        ],
    ),
    (
        "withdraw.rs",
        include_str!("../../server/src/ordering/withdraw.rs"),
        &[
            "store::idempotency::claim",
            "store::history::by_request_in_txn",
            "store::idempotency::hand_over",
            "store::audit::add",
            "store::idempotency::complete",
            "store::idempotency::find_in_txn",
            "store::idempotency::delete_expired",
            "store::orders::mark_purged",
        ],
    ),
    (
        "cancel.rs",
        include_str!("../../server/src/ordering/cancel.rs"),
        &[
            "store::txn::write",
            "store::tables::lock",
            "store::orders::lock",
            "store::history::find_in_txn",
            "store::stock::lock",
            "store::tickets::cancel",
            "store::orders::cancel",
            "store::stock::add",
            "store::outbox::add",
            "store::audit::add",
        ],
    ),
];

#[test]
fn the_product_makes_the_statements_that_are_modelled() {
    for (file, source, modelled) in MODELLED {
        assert_eq!(
            calls(source),
            modelled,
            "ordering/{file} has changed; does tests/model still play it?"
        );
    }
}

/// Paths like `store::orders::insert` that are called.
fn calls(source: &str) -> Vec<&str> {
    let starts = source.match_indices("store::").map(|(at, _)| &source[at..]);
    starts
        .filter_map(|call| {
            let end = call.find(|c: char| !c.is_ascii_lowercase() && c != '_' && c != ':')?;
            (call[end..].starts_with('(') && call[..end].matches("::").count() == 2).then(|| &call[..end])
        })
        .collect()
}
