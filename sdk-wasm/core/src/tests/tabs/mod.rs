//! Several tabs of one browser: one sends, all get the answer, and nothing is confirmed that was not shown.

mod bench;

use super::model::dishes::{beer, name, ramen, words};
use super::model::server::{conflict, rejected};
use crate::cart::Cart;
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::event::{Event, Placement, Status, Stored};
use crate::handle::Paper;
use crate::machine::Phase;
use crate::slot::Slot;
use alloc::rc::Rc;
use bench::Tabs;
use std::vec::Vec;

fn placed(replay: bool) -> Outcome {
    Outcome::Placed {
        order: Paper(1),
        replay,
    }
}

/// The answer to the first request.
fn first() -> Placement {
    Placement::Placed {
        order: Paper(1),
        replay: false,
    }
}

/// AC-153
#[test]
fn what_another_tab_put_into_the_cart_is_shown_before_it_can_be_confirmed() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.deaf = true;
    tabs.event(1, Event::Add(beer()));
    tabs.submit(0);
    assert_eq!(tabs.outcomes(), [(0, Outcome::Blocked(Blocked::CartChanged))]);
    assert_eq!(tabs.browser.tabs[0].core.cart().lines.len(), 2, "now it is shown");
    assert_eq!(tabs.placed, 0);
    tabs.submit(0);
    assert_eq!(tabs.placed, 1);
}

#[test]
fn ten_tabs_that_confirm_at_once_send_one_request_and_get_one_answer() {
    let mut tabs = Tabs::open(10, true);
    tabs.event(0, Event::Add(ramen()));
    for tab in 0..10 {
        tabs.submit(tab);
    }
    tabs.answer(
        0,
        Placement::Placed {
            order: Paper(1),
            replay: false,
        },
    );
    assert_eq!(tabs.placed, 1);
    assert_eq!(tabs.settled.len(), 10);
    assert!(tabs.settled.iter().all(|(tab, s)| s.outcome == placed(*tab != 0)));
    for tab in &tabs.browser.tabs {
        let state = tab.core.state();
        assert!(tab.core.cart().lines.is_empty() && !state.locked);
        assert_eq!((state.phase, tab.lock, tab.flight.clone()), (Phase::Done, None, None));
    }
}

#[test]
fn a_tab_that_was_not_told_asks_the_server() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    tabs.submit(1);
    tabs.mute = true;
    tabs.answer(0, first());
    let token = tabs.token(1);
    tabs.event(
        1,
        Event::Status {
            token,
            status: Status::Placed(Paper(1)),
        },
    );
    assert_eq!(tabs.outcomes(), [(0, placed(false)), (1, placed(true))]);
    assert_eq!(tabs.placed, 1);
}

/// What storage says is late in both directions: neither the confirmation nor that it is over has been seen.
#[test]
fn a_tab_that_is_told_before_it_sees_anything_is_not_taken_back_by_what_it_sees_later() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.deaf = true;
    tabs.submit(0);
    tabs.submit(1);
    let late = tabs.browser.tabs[1].stored(&tabs.browser.storage);
    tabs.answer(0, first());
    assert_eq!(tabs.outcomes(), [(0, placed(false)), (1, placed(true))]);
    assert!(late.slot.is_some());
    tabs.event(1, Event::StorageChanged(late.clone()));
    tabs.event(1, Event::StorageChanged(Stored { slot: None, ..late }));
    let state = tabs.browser.tabs[1].core.state();
    assert_eq!((state.phase, state.locked), (Phase::Done, false));
    assert!(tabs.browser.tabs[1].core.cart().lines.is_empty());
    assert_eq!(tabs.browser.storage.slot, None);
}

#[test]
fn what_other_tabs_tell_of_something_else_settles_nothing() {
    for (line, note) in [(beer(), ""), (ramen(), "no onion"), (ramen(), "")] {
        let mut tabs = Tabs::open(2, true);
        tabs.event(0, Event::Add(ramen()));
        tabs.deaf = true;
        tabs.submit(0);
        let mut slot = tabs.browser.storage.slot.clone().unwrap_or_else(|| panic!("no slot"));
        tabs.submit(1);
        let mut cart = Cart {
            checkout_id: slot.cart.checkout_id,
            lines: Vec::from([line.clone()]),
        };
        if line == ramen() && note.is_empty() {
            // the same dish in the cart before
            cart.checkout_id = Some(name("another cart"));
        }
        (slot.request_id, slot.cart, slot.note) = (name("another key"), Rc::new(cart), words(note));
        let outcome = placed(false);
        tabs.event(1, Event::Told { slot, outcome });
        assert_eq!(tabs.outcomes(), []);
    }
}

#[test]
fn what_another_tab_confirmed_since_stays_shown_when_the_one_before_is_told() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.deaf = true;
    tabs.submit(0);
    let slot = tabs.browser.storage.slot.clone().unwrap_or_else(|| panic!("no slot"));
    tabs.submit(1);
    let cart = Cart {
        checkout_id: Some(name("another cart")),
        lines: Vec::from([beer()]),
    };
    let newer = Slot {
        request_id: name("another key"),
        cart: Rc::new(cart),
        ..slot.clone()
    };
    let stored = Stored {
        slot: Some(newer.clone()),
        ..Stored::default()
    };
    tabs.event(1, Event::StorageChanged(stored));
    let outcome = placed(false);
    tabs.event(1, Event::Told { slot, outcome });
    assert_eq!(tabs.outcomes(), [(1, placed(true))]);
    assert_eq!(tabs.browser.tabs[1].core.slot, Some(newer));
}

#[test]
fn what_is_not_final_or_makes_a_new_cart_is_not_taken_over() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    tabs.submit(1);
    let slot = tabs.browser.storage.slot.clone().unwrap_or_else(|| panic!("no slot"));
    let refused = Outcome::Refused {
        code: Code::CHECKOUT_ALREADY_PLACED,
        problem: Paper(1),
    };
    for outcome in [Outcome::Unknown, refused] {
        let slot = slot.clone();
        tabs.event(1, Event::Told { slot, outcome });
    }
    assert_eq!(tabs.outcomes(), []);
}

/// It slept while it held the lock, and another tab has gone on.
#[test]
fn a_tab_that_lost_the_lock_waits_for_its_turn_and_gets_the_same_answer() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    let token = tabs.browser.tabs[0].lock.unwrap_or(0);
    tabs.submit(1);
    tabs.event(0, Event::Unlocked { token });
    assert_eq!(tabs.browser.tabs[0].flight, None, "it listens to its turn only");
    assert_eq!(tabs.placed, 2, "the other one goes on with the same");
    let asked = tabs.browser.tabs[0].lock;
    let token = asked.unwrap_or(0);
    tabs.event(0, Event::Unlocked { token });
    assert_eq!(tabs.browser.tabs[0].lock, asked, "whoever waits has nothing to lose");
    tabs.answer(1, first());
    assert_eq!(tabs.outcomes(), [(1, placed(false)), (0, placed(true))]);
    assert_eq!(tabs.browser.tabs[0].lock, None);
}

#[test]
fn giving_up_after_the_lock_was_lost_leaves_what_was_sent_unknown() {
    for wish in [Event::Close, Event::Withdraw] {
        let mut tabs = Tabs::open(2, true);
        tabs.event(0, Event::Add(ramen()));
        tabs.submit(0);
        let token = tabs.browser.tabs[0].lock.unwrap_or(0);
        tabs.submit(1);
        tabs.event(0, Event::Unlocked { token });
        tabs.mute = true;
        tabs.deaf = true;
        tabs.browser.storage.slot = None;
        tabs.tell(0);
        tabs.event(0, wish.clone());
        match wish {
            Event::Close => assert_eq!(tabs.outcomes(), [(0, Outcome::Unknown)]),
            _ => assert_eq!(tabs.outcomes(), []),
        }
    }
}

#[test]
fn a_tab_without_locks_joins_by_the_key_and_the_server_knows_it() {
    let mut tabs = Tabs::open(2, false);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    tabs.submit(1);
    let keys: Vec<_> = tabs
        .browser
        .tabs
        .iter()
        .map(|t| t.core.run.as_ref().and_then(|r| r.key))
        .collect();
    assert_eq!(keys[0], keys[1]);
    tabs.answer(
        0,
        Placement::Placed {
            order: Paper(1),
            replay: false,
        },
    );
    tabs.answer(
        1,
        Placement::Placed {
            order: Paper(1),
            replay: true,
        },
    );
    assert_eq!(tabs.outcomes(), [(0, placed(false)), (1, placed(true))]);
}

#[test]
fn the_holder_that_is_closed_hands_over() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    tabs.submit(1);
    let key = tabs.browser.storage.slot.as_ref().map(|s| s.request_id);
    tabs.browser.unload(0);
    tabs.grant();
    assert_eq!(tabs.placed, 2);
    assert_eq!(tabs.browser.storage.slot.as_ref().map(|s| s.request_id), key);
    tabs.answer(
        1,
        Placement::Placed {
            order: Paper(1),
            replay: true,
        },
    );
    assert_eq!(tabs.outcomes(), [(1, placed(true))]);
}

#[test]
fn a_no_that_is_stored_nowhere_does_not_make_the_other_tab_send() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    tabs.submit(1);
    tabs.mute = true;
    tabs.answer(0, conflict(Code::ORDERING_PAUSED, false, None));
    let token = tabs.token(1);
    tabs.event(
        1,
        Event::Status {
            token,
            status: Status::Unknown,
        },
    );
    assert_eq!(tabs.placed, 1);
    assert_eq!(tabs.outcomes()[1], (1, Outcome::Blocked(Blocked::CartChanged)));
}

#[test]
fn a_no_is_told_to_all_that_wait() {
    let problem = Paper(0);
    let paused = Code::ORDERING_PAUSED;
    let sold_out = Outcome::Rejected {
        code: Code::SOLD_OUT,
        problem: Some(problem),
    };
    for (placement, outcome) in [
        (
            conflict(paused, false, None),
            Outcome::Refused { code: paused, problem },
        ),
        (rejected(Code::SOLD_OUT), sold_out),
    ] {
        let mut tabs = Tabs::open(2, true);
        tabs.event(0, Event::Add(ramen()));
        tabs.submit(0);
        tabs.submit(1);
        tabs.answer(0, placement);
        assert_eq!(tabs.outcomes(), [(0, outcome), (1, outcome)]);
        assert_eq!((tabs.placed, tabs.browser.tabs[1].flight.clone()), (1, None));
        assert_eq!(tabs.browser.tabs[1].core.cart().lines.len(), 1);
    }
}

#[test]
fn what_one_tab_gives_up_no_other_tab_sends() {
    let mut tabs = Tabs::open(2, false);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    tabs.event(1, Event::Withdraw);
    tabs.event(
        0,
        Event::Lost {
            token: tabs.token(0),
            retry_after_ms: None,
        },
    );
    let (id, _) = tabs.browser.tabs[0].timer.unwrap_or_default();
    tabs.event(0, Event::TimerFired { id });
    assert_eq!(tabs.placed, 1);
    let token = tabs.token(0);
    tabs.event(
        0,
        Event::Status {
            token,
            status: Status::Rejected(Code::WITHDRAWN),
        },
    );
    let withdrawn = Outcome::Rejected {
        code: Code::WITHDRAWN,
        problem: None,
    };
    // the other one listens as well: it has sent nothing but that it does not want it
    assert_eq!(tabs.outcomes(), [(0, withdrawn), (1, withdrawn)]);
}

#[test]
fn a_question_is_answered_in_one_tab_only() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    tabs.answer(0, conflict(Code::POSSIBLE_DUPLICATE, false, Some(3)));
    let Some((_, Outcome::PossibleDuplicate { question, .. })) = tabs.outcomes().pop() else {
        panic!("not asked")
    };
    tabs.event(1, Event::Withdraw);
    tabs.answer(1, rejected(Code::WITHDRAWN));
    tabs.event(0, Event::Confirm { question });
    assert_eq!(tabs.outcomes().pop(), Some((0, Outcome::Blocked(Blocked::NoQuestion))));
    assert_eq!(tabs.placed, 1);
}

#[test]
fn nobody_gives_up_what_another_tab_confirmed_since() {
    let mut tabs = Tabs::open(2, true);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    tabs.deaf = true;
    tabs.event(1, Event::Withdraw);
    tabs.answer(
        0,
        Placement::Placed {
            order: Paper(1),
            replay: false,
        },
    );
    let token = tabs.token(1);
    tabs.event(
        1,
        Event::Status {
            token,
            status: Status::Placed(Paper(1)),
        },
    );
    assert_eq!(tabs.outcomes(), [(0, placed(false)), (1, placed(true))]);
}

#[test]
fn tabs_that_were_copied_with_their_key_do_not_use_it_twice() {
    let mut tabs = Tabs::open(2, true);
    tabs.browser.tabs[1].request_id = tabs.browser.tabs[0].request_id;
    tabs.tell(1);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    let first = tabs.browser.storage.slot.as_ref().map(|s| s.request_id);
    tabs.answer(
        0,
        Placement::Placed {
            order: Paper(1),
            replay: false,
        },
    );
    tabs.event(1, Event::Add(beer()));
    tabs.submit(1);
    assert_ne!(tabs.browser.storage.slot.as_ref().map(|s| s.request_id), first);
}

#[test]
fn a_question_about_what_another_tab_has_settled_is_not_put() {
    let mut tabs = Tabs::open(2, false);
    tabs.event(0, Event::Add(ramen()));
    tabs.submit(0);
    tabs.submit(1);
    tabs.answer(0, rejected(Code::SOLD_OUT));
    tabs.answer(1, conflict(Code::POSSIBLE_DUPLICATE, false, Some(3)));
    assert_eq!(tabs.outcomes()[1], (1, Outcome::Blocked(Blocked::CartChanged)));
    assert_eq!(tabs.browser.storage.slot, None);
}
