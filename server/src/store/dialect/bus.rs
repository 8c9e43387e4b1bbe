//! Wake-ups between nodes.

use super::{QUEUE_BOUND, SILENCE_BOUND, Target};
use crate::store::failure::Failure;
use sea_orm::DbErr;
use sea_orm::sqlx::Connection as _;
use sea_orm::sqlx::postgres::{PgConnection, PgListener, PgPoolOptions};
use tokio::time::timeout;

/// Wake-ups between nodes.
///
/// Differs because only PostgreSQL is shared, and brings LISTEN/NOTIFY. NOTIFY runs outside of any placement: inside one it
/// would make every commit wait for its turn.
pub struct Bus {
    listener: PgListener,
    sender: PgConnection,
}

/// Opens the wire; `None` on a database that is not shared.
pub async fn connect_bus(target: &Target) -> Result<Option<Bus>, DbErr> {
    let Target::Postgres(options) = target else {
        return Ok(None);
    };
    let options = (**options).clone().application_name("masterorder wake-ups");
    let open = |e| DbErr::Conn(sea_orm::RuntimeErr::SqlxError(std::sync::Arc::new(e)));
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(QUEUE_BOUND)
        .connect_with(options.clone())
        .await
        .map_err(open)?;
    let mut listener = PgListener::connect_with(&pool).await.map_err(open)?;
    listener.listen(Bus::CHANNEL).await.map_err(open)?;
    let sender = PgConnection::connect_with(&options).await.map_err(open)?;
    Ok(Some(Bus { listener, sender }))
}

impl Bus {
    const CHANNEL: &str = "masterorder_live";

    /// Tells all nodes, this one included.
    pub async fn send(&mut self, text: &str) -> Result<(), Failure> {
        let open = |e| DbErr::Exec(sea_orm::RuntimeErr::SqlxError(std::sync::Arc::new(e)));
        let sent = sea_orm::sqlx::query("SELECT pg_notify($1, $2)")
            .bind(Self::CHANNEL)
            .bind(text)
            .execute(&mut self.sender);
        match timeout(SILENCE_BOUND, sent).await {
            Ok(sent) => sent.map(drop).map_err(|e| open(e).into()),
            Err(_) => Err(Failure::ConnectionLost),
        }
    }

    /// Waits for a wake-up.
    ///
    /// *Errors*: the connection broke; wake-ups were lost, and the polls of the feeds make up for them.
    pub async fn hear(&mut self) -> Result<String, Failure> {
        match self.listener.try_recv().await {
            Ok(Some(heard)) => Ok(heard.payload().to_owned()),
            Ok(None) => Err(Failure::ConnectionLost),
            Err(error) => Err(DbErr::Conn(sea_orm::RuntimeErr::SqlxError(std::sync::Arc::new(error))).into()),
        }
    }
}
