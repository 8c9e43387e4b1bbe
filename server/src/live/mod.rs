//! Live feeds: the current state, not a log. Whoever changes something wakes the feeds that show it; a feed then reads its
//! state anew and sends what changed. A wake-up that is lost delays a change by one poll and loses nothing.

/// State that is read once per node and watched by many.
pub mod feed;
/// Wake-ups between nodes.
pub mod nodes;

use crate::kitchen::BoardTicket;
use crate::ordering::history::Order;
use feed::Feeds;
use masterorder_protocol::ids::{TableSessionId, TenantId};
use tokio::sync::mpsc;

/// Wake-ups that wait to be sent to other nodes at most; what does not fit is made up for by their poll.
const QUEUE: usize = 1_024;

/// The feeds of one node.
pub struct Live {
    /// The kitchen's board, by tenant.
    pub boards: Feeds<BoardTicket>,
    /// A party's orders, by table session.
    pub parties: Feeds<Order>,
    news: mpsc::Sender<Change>,
}

/// Something changed at a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Change {
    /// In this shop.
    pub tenant: TenantId,
    /// For this party.
    pub table_session: TableSessionId,
}

impl Live {
    /// Makes the feeds; the receiver is for `nodes::run`.
    pub fn new() -> (Self, mpsc::Receiver<Change>) {
        let (news, receiver) = mpsc::channel(QUEUE);
        let live = Self {
            boards: Feeds::default(),
            parties: Feeds::default(),
            news,
        };
        (live, receiver)
    }

    /// Wakes the feeds of this node and tells the others. Call it after the commit.
    pub fn changed(&self, change: Change) {
        self.wake(change);
        // a full queue means that the other nodes are being woken anyway
        let _ = self.news.try_send(change);
    }

    /// Wakes the feeds of this node.
    pub fn wake(&self, change: Change) {
        self.boards.wake(change.tenant.0);
        self.parties.wake(change.table_session.0);
    }
}
