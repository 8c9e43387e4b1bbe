//! SIGTERM and Ctrl-C: the first asks the process to end, the second ends it.

use std::future::Future;
use std::io;

/// Exit code after a second signal.
const IMPATIENT: i32 = 1;

/// Listens from now on; the future ends with the first signal. A second one ends the process at once: what was not committed is
/// rolled back by the database.
pub(super) fn stop() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut signals = Signals::listen()?;
    Ok(async move {
        signals.next().await;
        tokio::spawn(async move {
            signals.next().await;
            tracing::warn!("asked twice to end: exiting at once");
            std::process::exit(IMPATIENT);
        });
    })
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
