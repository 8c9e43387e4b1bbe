//! Reads that are asked for at the same time become one statement. Each sees the database as it is after it was asked for: a
//! statement reads for those who came before it began, and for nobody else.

use super::failure::{Failure, Result};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Keys of one statement at most.
const KEYS: usize = 128;

/// A statement that takes longer than this is no reason to wait for those who come after it.
const PATIENCE: Duration = Duration::from_millis(250);

/// One kind of read. *Shape*: a value per key.
pub(super) struct Together<K, V>(Arc<Mutex<Line<K, V>>>);

/// Where somebody who waits is told.
type Tell<V> = oneshot::Sender<Result<V>>;

struct Line<K, V> {
    waiting: Vec<(K, Tell<V>)>,
    /// Since when a statement is out.
    out: Option<Instant>,
}

/// Somebody reads for everybody who waits, until nobody does.
struct Reader<K, V>(Arc<Mutex<Line<K, V>>>);

impl<K, V> Default for Together<K, V> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Line {
            waiting: Vec::new(),
            out: None,
        })))
    }
}

impl<K: Send + 'static, V: Send + 'static> Together<K, V> {
    /// Reads the value of a key; `load` reads those of many, one per key and in their order.
    pub(super) async fn get<F>(&self, key: K, load: impl Fn(Vec<K>) -> F + Send + 'static) -> Result<V>
    where
        F: Future<Output = Result<Vec<V>>> + Send,
    {
        let (tell, told) = oneshot::channel();
        let reader = {
            let mut line = lock(&self.0);
            line.waiting.push((key, tell));
            let free = line.out.is_none_or(|since| since.elapsed() > PATIENCE);
            free.then(|| {
                line.out = Some(Instant::now());
                Reader(self.0.clone())
            })
        };
        if let Some(reader) = reader {
            // a guest who hangs up reads on for the others
            tokio::spawn(async move {
                while let Some((keys, tells)) = reader.next() {
                    let values: Vec<Result<V>> = match load(keys).await {
                        Ok(values) => values.into_iter().map(Ok).collect(),
                        Err(failure) => tells.iter().map(|_| Err(failure.clone())).collect(),
                    };
                    for (tell, value) in tells.into_iter().zip(values) {
                        // nobody is there if the guest hung up
                        let _ = tell.send(value);
                    }
                }
            });
        }
        told.await.unwrap_or(Err(Failure::ConnectionLost))
    }
}

impl<K, V> Reader<K, V> {
    fn next(&self) -> Option<(Vec<K>, Vec<Tell<V>>)> {
        let mut line = lock(&self.0);
        let some = line.waiting.len().min(KEYS);
        line.out = (some > 0).then(Instant::now);
        (some > 0).then(|| line.waiting.drain(..some).unzip())
    }
}

impl<K, V> Drop for Reader<K, V> {
    /// A reader that panicked leaves nobody waiting.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut line = lock(&self.0);
            line.out = None;
            line.waiting.clear();
        }
    }
}

fn lock<K, V>(line: &Mutex<Line<K, V>>) -> MutexGuard<'_, Line<K, V>> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::Semaphore;

    #[tokio::test]
    async fn who_comes_while_a_statement_is_out_shares_the_next_one() {
        let (together, gate) = (Arc::new(Together::default()), Arc::new(Semaphore::new(0)));
        let statements = Arc::new(AtomicUsize::new(0));
        let get = |key: usize| {
            let (together, gate, statements) = (together.clone(), gate.clone(), statements.clone());
            tokio::spawn(async move {
                let load = move |keys: Vec<usize>| {
                    let (gate, statements) = (gate.clone(), statements.clone());
                    async move {
                        statements.fetch_add(1, Ordering::SeqCst);
                        gate.acquire().await.map_err(|_| Failure::Overloaded)?.forget();
                        Ok(keys.into_iter().map(|key| key * 10).collect())
                    }
                };
                together.get(key, load).await
            })
        };
        let first = get(1);
        while statements.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let others: Vec<_> = (2..20).map(get).collect();
        while lock(&together.0).waiting.len() < 18 {
            tokio::task::yield_now().await;
        }
        gate.add_permits(2);
        assert_eq!(first.await.ok().and_then(Result::ok), Some(10));
        for (key, other) in (2..20).zip(others) {
            assert_eq!(other.await.ok().and_then(Result::ok), Some(key * 10));
        }
        assert_eq!(statements.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_statement_that_fails_fails_for_those_who_asked_and_not_for_the_next() {
        let together = Together::<u8, u8>::default();
        let failed = together.get(1, async |_| Err(Failure::Overloaded)).await;
        assert!(matches!(failed, Err(Failure::Overloaded)));
        assert_eq!(together.get(1, async |keys| Ok(keys)).await.ok(), Some(1));
    }

    #[tokio::test]
    async fn a_statement_that_panics_leaves_nobody_waiting() {
        let together = Together::<u8, u8>::default();
        let failed = together.get(1, async |_| panic!("injected")).await;
        assert!(matches!(failed, Err(Failure::ConnectionLost)));
        assert_eq!(together.get(1, async |keys| Ok(keys)).await.ok(), Some(1));
    }
}
