//! What is played: who asks for what, in which weather. Small, for all interleavings of it are tried.

use crate::client::{Ask, Request, after, any, confirming, place, place_but};
use crate::database::Engine;
use crate::fault::Fault;
use crate::product::Product;
use crate::world::{Scene, Weather};

/// Nothing goes wrong.
const CALM: Weather = Weather {
    crashes: 0,
    losses: 0,
    timeouts: 0,
    eras: 0,
};
/// Everything goes wrong once.
const ROUGH: Weather = Weather {
    crashes: 1,
    losses: 1,
    timeouts: 1,
    eras: 0,
};
/// Everything goes wrong twice.
const STORM: Weather = Weather {
    crashes: 2,
    losses: 2,
    timeouts: 2,
    eras: 0,
};
/// Retention goes by once, and everything goes wrong once.
const LONG_AND_ROUGH: Weather = Weather { eras: 1, ..ROUGH };
/// Retention goes by once, and there is a crash.
const LONG: Weather = Weather {
    eras: 1,
    crashes: 1,
    ..CALM
};
/// Retention goes by once.
const LONG_AND_CALM: Weather = Weather { eras: 1, ..CALM };

/// Sets a scene.
pub(crate) fn scene(name: &'static str, engine: Engine, faults: &'static [Fault]) -> Scene {
    let (weather, stock, requests) = play(name);
    Scene {
        name,
        product: Product::new(&requests, stock.is_some()),
        requests,
        weather,
        engine,
        faults,
        stock,
    }
}

fn play(name: &str) -> (Weather, Option<i8>, Vec<Request>) {
    let cart = Some(0);
    let (key, other_key) = (0, 1);
    let withdraw = |key, table| Ask::Withdraw { key, table };
    match name {
        // a double tap, and a retry
        "twins" => (
            STORM,
            None,
            vec![any(place(key, None)), any(place(key, None)), after(0, place(key, None))],
        ),
        "twins, calm" => (CALM, None, vec![any(place(key, None)), any(place(key, None))]),
        // every tap mints a key
        "two keys, one cart" => (
            STORM,
            None,
            vec![
                any(place(key, cart)),
                any(place(other_key, cart)),
                after(0, place(key, cart)),
            ],
        ),
        // an old client, without checkoutIds
        "two keys, no cart" => (
            STORM,
            None,
            vec![
                any(place(key, None)),
                any(place(other_key, None)),
                after(1, place(other_key, None)),
            ],
        ),
        // two guests who want the same, and one who really does
        "another phone" => {
            let other = place_but(other_key, None, |o| o.phone = 1);
            let retry = after(0, place(key, None));
            (
                ROUGH,
                None,
                vec![any(place(key, None)), any(other), confirming(1, other), retry],
            )
        }
        // a copied checkoutId: only the index sees both
        "two tables, one cart" => {
            let other = place_but(other_key, cart, |o| o.table = 1);
            (STORM, None, vec![any(place(key, cart)), any(other), after(1, other)])
        }
        // a client that reuses a key for something else
        "a key used twice" => {
            let other = place_but(key, None, |o| o.dish = 1);
            let retry = after(0, place(key, None));
            (
                STORM,
                None,
                vec![any(place(key, None)), any(other), retry, after(1, other)],
            )
        }
        // the guest gives up while the order is on its way, and another table meddles
        "withdrawing" => {
            let twin = any(place(key, cart));
            (
                ROUGH,
                None,
                vec![twin, twin, any(withdraw(key, 0)), any(withdraw(key, 1))],
            )
        }
        // an order that outlives its key; whoever comes back meets the purge
        "purging" => {
            let (twin, other) = (any(place(key, cart)), any(place(other_key, cart)));
            (LONG_AND_ROUGH, None, vec![twin, twin, other, any(Ask::Purge)])
        }
        "purging, calm" => (
            LONG_AND_CALM,
            None,
            vec![any(place(key, None)), any(place(key, None)), any(Ask::Purge)],
        ),
        "withdrawing late" => {
            let (early, late) = (any(place(key, None)), after(1, place(key, None)));
            (
                LONG_AND_ROUGH,
                None,
                vec![early, any(withdraw(key, 0)), any(Ask::Purge), late],
            )
        }
        "paying" => {
            let (one, other) = (any(place(key, cart)), any(place(other_key, cart)));
            (
                ROUGH,
                None,
                vec![one, any(Ask::Pay { table: 0 }), other, after(0, place(key, cart))],
            )
        }
        "cancelling" => {
            let (one, other) = (any(place(key, None)), any(place(other_key, None)));
            let retry = after(0, place(key, None));
            (
                ROUGH,
                Some(2),
                vec![one, any(Ask::Cancel { key, table: 0 }), other, retry],
            )
        }
        // claim → table → order → stock, from every side
        "cancelling late" => {
            let cancel = any(Ask::Cancel { key, table: 0 });
            let (one, late) = (any(place(key, cart)), any(withdraw(key, 0)));
            (
                LONG,
                Some(2),
                vec![one, cancel, any(Ask::Purge), after(0, place(key, cart)), late],
            )
        }
        "the last portion" => {
            let other = place_but(other_key, None, |o| o.table = 1);
            (STORM, Some(1), vec![any(place(key, None)), any(other), after(1, other)])
        }
        "everything" => {
            let other = any(place(other_key, cart));
            let one = any(place(key, cart));
            let rest = [any(withdraw(key, 0)), any(Ask::Pay { table: 0 }), any(Ask::Purge)];
            let mut requests = vec![one, other];
            requests.extend(rest);
            (LONG, None, requests)
        }
        other => panic!("no scene is called {other:?}"),
    }
}
