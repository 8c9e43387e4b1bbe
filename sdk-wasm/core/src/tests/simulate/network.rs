//! The network and the server's bad days.

use super::world::{Happening, World};
use crate::code::Code;
use crate::event::{Event, Failure, Placement};
use crate::handle::Paper;
use crate::tests::model::chance::Chance;
use crate::tests::model::dishes::ramen;
use crate::tests::model::server::conflict;
use crate::tests::model::shell::Wire;
use std::vec::Vec;

/// The server answers by then, and works on if it must.
const ANSWER_BUDGET_MS: i64 = 5_000;

/// How bad it is. *Units*: percent of all requests.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weather {
    /// Never arrive.
    lost: u64,
    /// Arrive late, up to long after the client gave up.
    late: u64,
    /// Arrive twice: a gateway repeats a request, and answers what the last copy was answered.
    doubled: u64,
    /// Answers that are lost, cut, or replaced by a proxy's page.
    muted: u64,
    /// The server says "not now", before or after it has placed.
    moody: u64,
    /// Placements that take seconds.
    slow: u64,
    /// Of those: the node is killed, nothing is committed.
    killed: u64,
}

/// A message on the network.
#[derive(Clone, Debug)]
pub(super) enum Message {
    /// A request reaches the server.
    Arrive(Letter),
    /// A placement that took its time ends, or dies with its node.
    Finish { letter: Letter, killed: bool },
    /// The till decides on an order.
    Decide { order: Paper, confirmed: bool },
    /// Nothing more comes of it.
    Forget,
}

/// A request with its return address.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    tab: usize,
    page: u32,
    token: u32,
    wire: Wire,
    mood: Option<Mood>,
    /// Its answer is the one that the client gets.
    answered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    /// 503, before anything.
    Unavailable,
    /// 429.
    Limited,
    /// The table is busy.
    Busy,
    /// 401: the shop has another idea of the PIN for a moment.
    Stranger,
    /// 500, after the commit.
    Broken,
}

impl Weather {
    /// Some days are fine, most are not.
    pub(super) fn of_the_day(chance: &mut Chance) -> Self {
        let mut share = |most| if chance.percent(50) { chance.below(most) } else { 0 };
        Self {
            lost: share(50),
            late: share(40),
            doubled: share(40),
            muted: share(60),
            moody: share(50),
            slow: share(40),
            killed: share(60),
        }
    }
}

impl World {
    /// A page sends a request.
    pub(super) fn send(&mut self, tab: usize, page: u32, token: u32, wire: Wire) {
        let weather = self.weather;
        let mood = self.chance.percent(weather.moody).then(|| match self.chance.below(5) {
            0 => Mood::Unavailable,
            1 => Mood::Limited,
            2 => Mood::Busy,
            3 => Mood::Stranger,
            _ => Mood::Broken,
        });
        let mut letter = Letter {
            tab,
            page,
            token,
            wire,
            mood,
            answered: true,
        };
        if self.chance.percent(weather.lost) {
            self.silence(&letter);
            return;
        }
        let mut wait_ms = self.chance.between(5, 300);
        if self.chance.percent(weather.late) {
            let most_ms = if self.chance.percent(30) { 90_000 } else { 15_000 };
            wait_ms = self.chance.between(3_000, most_ms);
            if self.chance.percent(30) {
                // the connection breaks at once, and the request is through all the same
                letter.answered = false;
                self.silence(&letter);
            }
        }
        if self.chance.percent(weather.doubled) {
            let first = Letter {
                answered: false,
                ..letter.clone()
            };
            let ahead_ms = self.chance.between(0, wait_ms);
            self.later(ahead_ms, Happening::Network(Message::Arrive(first)));
        }
        self.later(wait_ms, Happening::Network(Message::Arrive(letter)));
    }

    /// A message gets where it is going.
    pub(super) fn deliver(&mut self, message: Message) {
        match message {
            Message::Arrive(letter) => self.arrive(letter),
            Message::Finish { letter, killed } => self.finish(&letter, killed),
            Message::Decide { order, confirmed } => self.server.decide(order, confirmed),
            Message::Forget => {}
        }
    }

    fn arrive(&mut self, letter: Letter) {
        let token = letter.token;
        let failed = |code: Code, retryable| Event::Failed {
            token,
            failure: Failure {
                code,
                retryable,
                retry_after_ms: Some(300),
                problem: Paper(0),
            },
        };
        match letter.mood {
            Some(Mood::Unavailable) => return self.answer(&letter, failed(Code::UNAVAILABLE, true)),
            Some(Mood::Limited) => return self.answer(&letter, failed(Code::RATE_LIMITED, true)),
            Some(Mood::Stranger) => return self.answer(&letter, failed(Code::UNAUTHENTICATED, false)),
            Some(Mood::Busy) if matches!(letter.wire, Wire::Place(_) | Wire::Withdraw(_)) => {
                let placement = conflict(Code::SESSION_BUSY, true, None);
                return self.answer(&letter, Event::Answered { token, placement });
            }
            _ => {}
        }
        let event = match &letter.wire {
            Wire::Place(slot) => {
                let free =
                    !self.server.claims.contains(&slot.request_id) && self.server.find(&slot.request_id).is_none();
                if free && self.chance.percent(self.weather.slow) {
                    return self.begin(letter.clone());
                }
                self.placement(&letter)
            }
            Wire::Withdraw(key) => Event::Answered {
                token,
                placement: self.server.withdraw(key),
            },
            Wire::Status(key) => Event::Status {
                token,
                status: self.server.status(key),
            },
            Wire::History => Event::History {
                token,
                orders: self.server.history(),
            },
        };
        match letter.mood {
            Some(Mood::Broken) => self.answer(&letter, failed(Code::INTERNAL, true)),
            _ => self.answer(&letter, event),
        }
    }

    /// A placement that takes its time: the key is claimed, and who asks in the meantime is told to wait.
    fn begin(&mut self, letter: Letter) {
        let Wire::Place(slot) = &letter.wire else { return };
        self.server.claims.push(slot.request_id);
        let wait_ms = self.chance.between(100, 12_000);
        let killed = self.chance.percent(self.weather.killed);
        let mut then = letter.clone();
        if wait_ms > ANSWER_BUDGET_MS {
            then.answered = false;
            let placement: Placement = conflict(Code::IDEMPOTENCY_IN_PROGRESS, true, None);
            let token = letter.token;
            self.answer_in(ANSWER_BUDGET_MS, &letter, Event::Answered { token, placement });
        }
        self.later(wait_ms, Happening::Network(Message::Finish { letter: then, killed }));
    }

    fn finish(&mut self, letter: &Letter, killed: bool) {
        let Wire::Place(slot) = &letter.wire else { return };
        self.server.claims.retain(|key| *key != slot.request_id);
        if killed {
            self.silence(letter);
        } else {
            let event = self.placement(letter);
            self.answer(letter, event);
        }
    }

    fn placement(&mut self, letter: &Letter) -> Event {
        let orders = self.server.orders.len();
        let placement = match &letter.wire {
            Wire::Place(slot) => self.server.place(slot, self.now_ms),
            _ => conflict(Code::SESSION_BUSY, true, None),
        };
        if self.server.has_till && self.server.orders.len() > orders {
            let order = Paper(u32::try_from(orders + 1).unwrap_or(0));
            let confirmed = self.chance.percent(70);
            let wait_ms = self.chance.between(200, 20_000);
            self.later(wait_ms, Happening::Network(Message::Decide { order, confirmed }));
        }
        Event::Answered {
            token: letter.token,
            placement,
        }
    }

    fn answer(&mut self, letter: &Letter, event: Event) {
        self.answer_in(0, letter, event);
    }

    fn answer_in(&mut self, wait_ms: i64, letter: &Letter, event: Event) {
        if !letter.answered {
            return;
        }
        if self.chance.percent(self.weather.muted) {
            return self.silence(letter);
        }
        let wait_ms = wait_ms + self.chance.between(5, 300);
        let (tab, page) = (letter.tab, letter.page);
        self.later(wait_ms, Happening::Page { tab, page, event });
    }

    /// No answer: the page notices soon, or never.
    fn silence(&mut self, letter: &Letter) {
        if self.chance.percent(40) {
            return self.later(0, Happening::Network(Message::Forget));
        }
        let retry_after_ms = self.chance.percent(20).then_some(1_000);
        let event = Event::Lost {
            token: letter.token,
            retry_after_ms,
        };
        let wait_ms = self.chance.between(5, 2_000);
        let (tab, page) = (letter.tab, letter.page);
        self.later(wait_ms, Happening::Page { tab, page, event });
    }

    /// Somebody else does something in the shop.
    pub(super) fn elsewhere(&mut self) {
        if self.calm {
            return;
        }
        match self.chance.below(10) {
            0..=3 => {
                let lines = match self.browser.storage.cart.as_ref().filter(|_| self.chance.percent(80)) {
                    Some(cart) => cart.lines.clone(),
                    None => Vec::from([ramen()]),
                };
                self.server.other_phone_orders(lines, self.now_ms);
            }
            4..=5 => self.server.paused = self.chance.percent(30),
            6..=7 => self.server.sold_out = self.chance.percent(20),
            8 => self.server.closed = self.chance.percent(3),
            _ => {}
        }
        let wait_ms = self.chance.between(1_000, 20_000);
        self.later(wait_ms, Happening::Elsewhere);
    }
}
