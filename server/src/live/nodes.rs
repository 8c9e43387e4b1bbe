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
    loop {
        tokio::select! {
            change = news.recv() => {
                let Some(change) = change else {
                    std::future::pending::<()>().await;
                    continue;
                };
                if let Err(error) = bus.send(&encode(change)).await {
                    return error;
                }
            }
            heard = bus.hear() => match heard {
                Ok(text) => {
                    if let (Some(change), Some(app)) = (decode(&text), app.upgrade()) {
                        app.live.wake(change);
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

fn encode(change: Change) -> String {
    format!("{} {}", change.tenant, change.table_session)
}

fn decode(text: &str) -> Option<Change> {
    let (tenant, session) = text.split_once(' ')?;
    Some(Change {
        tenant: TenantId(Uuid::try_parse(tenant).ok()?),
        table_session: TableSessionId(Uuid::try_parse(session).ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wake_up_survives_its_encoding_and_nonsense_wakes_nobody() {
        let change = Change {
            tenant: TenantId(Uuid::from_u128(1)),
            table_session: TableSessionId(Uuid::from_u128(2)),
        };
        assert_eq!(decode(&encode(change)), Some(change));
        for text in ["", "x y", "00000000-0000-0000-0000-000000000001"] {
            assert_eq!(decode(text), None);
        }
    }
}
