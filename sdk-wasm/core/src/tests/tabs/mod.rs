//! Several tabs of one browser: one sends, all get the answer, and nothing is confirmed that was not shown.

mod bench;

use super::model::dishes::{beer, ramen};
use super::model::server::{conflict, rejected};
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::event::{Event, Placement, Status};
use crate::handle::Paper;
use bench::Tabs;
use std::vec::Vec;

fn placed(replay: bool) -> Outcome {
    Outcome::Placed {
        order: Paper(1),
        replay,
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
    for tab in 1..10 {
        let token = tabs.token(tab);
        tabs.event(
            tab,
            Event::Status {
                token,
                status: Status::Placed(Paper(1)),
            },
        );
    }
    assert_eq!(tabs.placed, 1);
    assert_eq!(tabs.settled.len(), 10);
    assert!(tabs.settled.iter().all(|(tab, s)| s.outcome == placed(*tab != 0)));
    assert!(
        tabs.browser
            .tabs
            .iter()
            .all(|t| t.core.cart().lines.is_empty() && !t.core.state().locked)
    );
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
    assert_eq!(tabs.outcomes(), [(0, withdrawn)]);
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
