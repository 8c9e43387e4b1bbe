use super::*;
use crate::ordering::decide::Situation;
use crate::ordering::fixtures::*;
use crate::principal::Principal;

const GATES: OrderingPolicy = OrderingPolicy {
    content_window_ms: 0,
    cooldown_ms: 3_000,
    burst_ms: 1_000,
    wait_bound_ms: 2_000,
    retention_ms: 600_000,
    lease_ms: 1_000,
};

fn at(principal: &Principal, last_at_table_ms: Option<i64>, earlier: &[Earlier]) -> Option<Conflict> {
    let Situation { parties, .. } = situation();
    let party = Party {
        last_placed_at_ms: last_at_table_ms.map(|age| NOW_MS - age),
        ..parties[&TABLE].clone()
    };
    let command = parsed(&at_table_unless_guest(principal), principal);
    check(&command, &party, earlier, GATES, NOW_MS)
}

fn at_table_unless_guest(principal: &Principal) -> crate::ordering::command::RawOrder {
    match principal.role {
        Role::Guest(_) => one_ramen(),
        _ => at_table(one_ramen()),
    }
}

fn own(age_ms: i64) -> Earlier {
    placed(&by_guest(one_ramen()), order_id(1), age_ms)
}

#[test]
fn cooldown_counts_from_the_last_order_of_the_device_and_says_how_long_to_wait() {
    for (age_ms, wait_ms) in [
        (0, Some(3_000)),
        (1_000, Some(2_000)),
        (2_999, Some(1)),
        (3_000, None),
        (9_000, None),
    ] {
        let expected = wait_ms.map(|wait_ms| Conflict::Cooldown { wait_ms });
        assert_eq!(at(&guest(), None, &[own(age_ms)]), expected, "{age_ms}");
    }
    // the newest counts, in whatever order they come
    let two = [own(1_000), own(2_500)];
    assert_eq!(at(&guest(), None, &two), Some(Conflict::Cooldown { wait_ms: 2_000 }));
}

#[test]
fn another_phone_and_another_table_have_a_cooldown_of_their_own() {
    assert_eq!(at(&guest_at(TABLE, "guest-2"), None, &[own(0)]), None);
    let elsewhere = Earlier {
        table_session: OTHER_TABLE,
        ..own(0)
    };
    assert_eq!(at(&guest(), None, &[elsewhere]), None);
}

#[test]
fn burst_counts_from_the_last_order_of_the_table() {
    for (age_ms, wait_ms) in [(0, Some(1_000)), (999, Some(1)), (1_000, None)] {
        let expected = wait_ms.map(|wait_ms| Conflict::Burst { wait_ms });
        assert_eq!(at(&guest(), Some(age_ms), &[]), expected, "{age_ms}");
    }
}

#[test]
fn the_longer_wait_of_the_own_device_is_told_first() {
    assert_eq!(
        at(&guest(), Some(0), &[own(0)]),
        Some(Conflict::Cooldown { wait_ms: 3_000 })
    );
}

#[test]
fn an_order_of_a_clock_that_is_ahead_counts_as_placed_now() {
    assert_eq!(
        at(&guest(), None, &[own(-5_000)]),
        Some(Conflict::Cooldown { wait_ms: 3_000 })
    );
    assert_eq!(
        at(&guest(), Some(-5_000), &[]),
        Some(Conflict::Burst { wait_ms: 1_000 })
    );
}

#[test]
fn a_gate_of_zero_stands_open_also_for_a_clock_that_is_ahead() {
    let open = OrderingPolicy {
        cooldown_ms: 0,
        burst_ms: 0,
        ..GATES
    };
    let Situation { parties, .. } = situation();
    let party = Party {
        last_placed_at_ms: Some(NOW_MS + 5_000),
        ..parties[&TABLE].clone()
    };
    assert_eq!(
        check(&by_guest(one_ramen()), &party, &[own(-5_000)], open, NOW_MS),
        None
    );
}

#[test]
fn staff_and_integrators_enter_orders_as_fast_as_they_come() {
    for principal in [staff(), integrator()] {
        let device = Earlier {
            device: principal.device.clone(),
            ..own(0)
        };
        assert_eq!(at(&principal, Some(0), &[device]), None);
    }
}
