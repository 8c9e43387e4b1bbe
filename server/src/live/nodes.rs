//! Wake-ups between nodes, over the database that they share. Only wake-ups: the state is always read, never carried.

use super::Change;
use crate::app::App;
use crate::store::wake::{self, Bus};
use masterorder_protocol::ids::{TableSessionId, TenantId};
use std::sync::Weak;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Before a broken connection is opened again, doubled with every failure; meanwhile the feeds poll.
const RECONNECT: Duration = Duration::from_secs(1);
/// Where doubling ends: a pooler that knows no LISTEN must not fill the log.
const RECONNECT_MAX: Duration = Duration::from_secs(60);
/// Changes that one wake-up tells of at most.
const TOGETHER: usize = 64;

/// Carries wake-ups until `stop`. Does nothing on a database that is not shared.
pub async fn run(app: Weak<App>, mut news: mpsc::Receiver<Change>, stop: CancellationToken) {
    let connect = async |app: &Weak<App>| match app.upgrade() {
        Some(app) => wake::connect(&app.db).await,
        None => Ok(None),
    };
    let mut pause = RECONNECT;
    loop {
        let mut bus = match connect(&app).await {
            Ok(Some(bus)) => {
                pause = RECONNECT;
                bus
            }
            Ok(None) => return drain(news, stop).await,
            Err(error) => {
                tracing::warn!(error = %error, "no connection for wake-ups between nodes; feeds poll");
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = sleep(pause) => {}
                }
                pause = (pause * 2).min(RECONNECT_MAX);
                continue;
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            broken = carry(&app, &mut bus, &mut news) => {
                tracing::warn!(error = %broken, "the connection for wake-ups between nodes broke; feeds poll");
            }
        }
    }
}

async fn carry(app: &Weak<App>, bus: &mut Bus, news: &mut mpsc::Receiver<Change>) -> crate::store::Failure {
    let mut changes = Vec::new();
    loop {
        tokio::select! {
            some = news.recv_many(&mut changes, TOGETHER) => {
                if some == 0 {
                    std::future::pending::<()>().await;
                }
                if let Err(error) = bus.send(&encode(&changes)).await {
                    return error;
                }
                changes.clear();
            }
            heard = bus.hear() => match heard {
                Ok(text) => {
                    if let Some(app) = app.upgrade() {
                        decode(&text).for_each(|change| app.live.wake(change));
                    }
                }
                Err(error) => return error,
            },
        }
    }
}

/// One node: nobody else is to be told.
async fn drain(mut news: mpsc::Receiver<Change>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            change = news.recv() => if change.is_none() {
                return;
            }
        }
    }
}

/// *Shape*: a line per change.
fn encode(changes: &[Change]) -> String {
    let lines = changes.iter().map(|c| format!("{} {}", c.tenant, c.table_session));
    lines.collect::<Vec<_>>().join("\n")
}

fn decode(text: &str) -> impl Iterator<Item = Change> + '_ {
    text.lines().filter_map(|line| {
        let (tenant, session) = line.split_once(' ')?;
        Some(Change {
            tenant: TenantId(Uuid::try_parse(tenant).ok()?),
            table_session: TableSessionId(Uuid::try_parse(session).ok()?),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wake_ups_survive_their_encoding_and_nonsense_wakes_nobody() {
        let change = |n| Change {
            tenant: TenantId(Uuid::from_u128(n)),
            table_session: TableSessionId(Uuid::from_u128(2)),
        };
        let changes: Vec<Change> = (0..TOGETHER as u128).map(change).collect();
        let text = encode(&changes);
        assert!(text.len() < 8_000, "PostgreSQL takes no more");
        assert_eq!(decode(&text).collect::<Vec<_>>(), changes);
        for text in ["", "x y", "00000000-0000-0000-0000-000000000001"] {
            assert_eq!(decode(text).count(), 0);
        }
    }
}
