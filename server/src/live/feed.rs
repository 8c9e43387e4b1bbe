//! State that is read once per node and watched by many. A slow reader skips to the newest state; a reader that comes back
//! begins with a snapshot.

use crate::kitchen::BoardTicket;
use crate::ordering::history::Order;
use crate::store::failure::Result;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

/// How often the state is read when nothing wakes the feed: the longest that a lost wake-up can delay a change.
const POLL: Duration = Duration::from_secs(3);
/// Between two reads at least: changes of a rush are read together.
const PAUSE: Duration = Duration::from_millis(40);
/// And as many times as long as the read took: a feed must not take the database from the orders that it shows.
const REST: u32 = 4;

/// A row of a feed.
pub trait Row: Clone + Send + Sync + 'static {
    /// Whose row it is.
    fn id(&self) -> Uuid;
    /// Grows with every change of it.
    fn version(&self) -> i64;
}

impl Row for BoardTicket {
    fn id(&self) -> Uuid {
        self.ticket.id.0
    }

    fn version(&self) -> i64 {
        self.ticket.version
    }
}

impl Row for Order {
    fn id(&self) -> Uuid {
        self.receipt.order_id.0
    }

    fn version(&self) -> i64 {
        self.shown_version()
    }
}

type State<T> = Option<Arc<Vec<T>>>;

struct Topic<T> {
    state: watch::Receiver<State<T>>,
    wake: Arc<Notify>,
}

/// The feeds of one kind, by topic. A topic is read for as long as somebody watches it.
pub struct Feeds<T>(Arc<Mutex<HashMap<Uuid, Topic<T>>>>);

impl<T> Default for Feeds<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Row> Feeds<T> {
    /// Watches a topic. `read` reads its state; it is used if nobody watches the topic yet.
    pub fn watch<F, R>(&self, topic: Uuid, read: F) -> Feed<T>
    where
        F: Fn() -> R + Send + 'static,
        R: Future<Output = Result<Vec<T>>> + Send + 'static,
    {
        let mut topics = lock(&self.0);
        if let Some(found) = topics.get(&topic) {
            return Feed::new(found.state.clone());
        }
        let (sender, state) = watch::channel(None);
        let wake = Arc::new(Notify::new());
        topics.insert(
            topic,
            Topic {
                state: state.clone(),
                wake: wake.clone(),
            },
        );
        tokio::spawn(keep(self.0.clone(), topic, sender, wake, read));
        Feed::new(state)
    }

    /// Has the state of a topic read anew, if anybody watches it.
    pub fn wake(&self, topic: Uuid) {
        if let Some(found) = lock(&self.0).get(&topic) {
            found.wake.notify_one();
        }
    }

    /// Topics that are watched.
    pub fn watched(&self) -> usize {
        lock(&self.0).len()
    }
}

fn lock<T>(topics: &Mutex<HashMap<Uuid, Topic<T>>>) -> MutexGuard<'_, HashMap<Uuid, Topic<T>>> {
    topics.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a topic's state for as long as somebody watches it.
async fn keep<T: Row, F, R>(
    topics: Arc<Mutex<HashMap<Uuid, Topic<T>>>>,
    topic: Uuid,
    sender: watch::Sender<State<T>>,
    wake: Arc<Notify>,
    read: F,
) where
    F: Fn() -> R + Send + 'static,
    R: Future<Output = Result<Vec<T>>> + Send,
{
    loop {
        let begun = Instant::now();
        // in a box: it is there for a moment, and its task for hours
        match Box::pin(read()).await {
            Ok(rows) => {
                sender.send_replace(Some(Arc::new(rows)));
            }
            // the next poll tries again; readers keep the state they have
            Err(error) => tracing::warn!(error = %error, "a live feed could not be read"),
        }
        {
            // the map holds one receiver itself; whoever watches next starts anew
            let mut topics = lock(&topics);
            if sender.receiver_count() <= 1 {
                topics.remove(&topic);
                return;
            }
        }
        sleep((begun.elapsed() * REST).clamp(PAUSE, POLL)).await;
        let _ = timeout(POLL, wake.notified()).await;
    }
}

/// What a reader has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News<T> {
    /// Everything, not only what changed.
    pub snapshot: bool,
    /// New and changed rows.
    pub rows: Vec<T>,
    /// Rows that are no longer shown.
    pub removed: Vec<Uuid>,
}

/// One reader.
pub struct Feed<T> {
    state: watch::Receiver<State<T>>,
    seen: Option<HashMap<Uuid, i64>>,
}

impl<T: Row> Feed<T> {
    fn new(mut state: watch::Receiver<State<T>>) -> Self {
        state.mark_changed();
        Self { state, seen: None }
    }

    /// Waits for something new: first everything, then what changed since the last call, however often it did.
    ///
    /// `None`: nobody keeps the state any more.
    pub async fn next(&mut self) -> Option<News<T>> {
        loop {
            self.state.changed().await.ok()?;
            let state = self.state.borrow_and_update().clone();
            if let Some(news) = state.and_then(|rows| self.compare(&rows)) {
                return Some(news);
            }
        }
    }

    fn compare(&mut self, rows: &[T]) -> Option<News<T>> {
        let now: HashMap<Uuid, i64> = rows.iter().map(|r| (r.id(), r.version())).collect();
        let snapshot = self.seen.is_none();
        let seen = self.seen.take().unwrap_or_default();
        let changed = |row: &&T| seen.get(&row.id()).is_none_or(|version| *version < row.version());
        let news = News {
            snapshot,
            rows: rows.iter().filter(changed).cloned().collect(),
            removed: seen.keys().filter(|id| !now.contains_key(id)).copied().collect(),
        };
        self.seen = Some(now);
        (snapshot || !news.rows.is_empty() || !news.removed.is_empty()).then_some(news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq)]
    struct Cell(u128, i64);

    impl Row for Cell {
        fn id(&self) -> Uuid {
            Uuid::from_u128(self.0)
        }

        fn version(&self) -> i64 {
            self.1
        }
    }

    type Shown = Arc<Mutex<Vec<Cell>>>;

    fn watch(feeds: &Feeds<Cell>, shown: &Shown) -> Feed<Cell> {
        let shown = shown.clone();
        feeds.watch(Uuid::nil(), move || {
            let rows = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
            async move { Ok(rows) }
        })
    }

    fn show(feeds: &Feeds<Cell>, shown: &Shown, rows: &[Cell]) {
        *shown.lock().unwrap_or_else(PoisonError::into_inner) = rows.to_vec();
        feeds.wake(Uuid::nil());
    }

    #[tokio::test]
    async fn a_reader_gets_a_snapshot_and_then_what_changed() {
        let (feeds, shown) = (Feeds::default(), Shown::default());
        show(&feeds, &shown, &[Cell(1, 1), Cell(2, 1)]);
        let mut feed = watch(&feeds, &shown);
        let first = feed.next().await;
        assert_eq!(first.map(|n| (n.snapshot, n.rows.len())), Some((true, 2)));
        show(&feeds, &shown, &[Cell(2, 2), Cell(3, 1)]);
        let second = feed.next().await;
        let expected = News {
            snapshot: false,
            rows: vec![Cell(2, 2), Cell(3, 1)],
            removed: vec![Uuid::from_u128(1)],
        };
        assert_eq!(second, Some(expected));
    }

    #[tokio::test]
    async fn an_empty_state_is_a_snapshot_too() {
        let (feeds, shown) = (Feeds::default(), Shown::default());
        let first = watch(&feeds, &shown).next().await;
        assert_eq!(first.map(|n| (n.snapshot, n.rows.len())), Some((true, 0)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_skips_to_the_newest_state() {
        let (feeds, shown) = (Feeds::default(), Shown::default());
        let mut feed = watch(&feeds, &shown);
        assert!(feed.next().await.is_some_and(|n| n.snapshot));
        for version in 1..=50 {
            show(&feeds, &shown, &[Cell(1, version)]);
            sleep(PAUSE * 2).await;
        }
        assert_eq!(feed.next().await.map(|n| n.rows), Some(vec![Cell(1, 50)]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_lost_wake_up_is_made_up_for_by_the_poll_and_nobody_is_told_twice() {
        let (feeds, shown) = (Feeds::default(), Shown::default());
        let mut feed = watch(&feeds, &shown);
        assert!(feed.next().await.is_some_and(|n| n.snapshot));
        *shown.lock().unwrap_or_else(PoisonError::into_inner) = vec![Cell(1, 1)];
        assert_eq!(feed.next().await.map(|n| n.rows), Some(vec![Cell(1, 1)]));
        assert!(timeout(POLL * 3, feed.next()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_feed_that_is_slow_to_read_is_read_less_often() {
        let (feeds, reads) = (Feeds::default(), Arc::new(Mutex::new(0)));
        let counted = reads.clone();
        let mut feed = feeds.watch(Uuid::nil(), move || {
            *counted.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            async {
                sleep(PAUSE * 5).await;
                Ok(vec![Cell(1, 1)])
            }
        });
        assert!(feed.next().await.is_some());
        for _ in 0..100 {
            feeds.wake(Uuid::nil());
            sleep(PAUSE).await;
        }
        // one part reading, four parts resting
        assert_eq!(*reads.lock().unwrap_or_else(PoisonError::into_inner), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_topic_that_nobody_watches_is_not_read() {
        let (feeds, shown) = (Feeds::default(), Shown::default());
        let mut feed = watch(&feeds, &shown);
        assert!(feed.next().await.is_some());
        assert_eq!(feeds.watched(), 1);
        drop(feed);
        sleep(POLL * 2).await;
        assert_eq!(feeds.watched(), 0);
        assert!(watch(&feeds, &shown).next().await.is_some_and(|n| n.snapshot));
    }
}
