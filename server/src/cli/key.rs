//! `key create | list | revoke`.

use super::Database;
use crate::staff::{KeyKind, keys};
use crate::store;
use crate::store::writer_queue::Priority;
use anyhow::bail;
use clap::{Args, Subcommand};
use masterorder_protocol::ids::KeyId;
use uuid::Uuid;

/// Make, list and revoke API keys.
#[derive(Args)]
pub(super) struct Key {
    #[command(subcommand)]
    command: KeyCommand,
}

#[derive(Subcommand)]
enum KeyCommand {
    /// Make a key; its secret is printed now and never again.
    Create {
        #[command(flatten)]
        database: Database,
        /// Name of the shop; may be left out when there is one.
        #[arg(long)]
        shop: Option<String>,
        /// What it may do.
        #[arg(long, value_enum)]
        kind: KeyKind,
        /// Whom it is for.
        #[arg(long, default_value = "unnamed")]
        name: String,
    },
    /// List keys without their secrets.
    List {
        #[command(flatten)]
        database: Database,
        /// Name of the shop; may be left out when there is one.
        #[arg(long)]
        shop: Option<String>,
    },
    /// Revoke a key for good.
    Revoke {
        #[command(flatten)]
        database: Database,
        /// The id that `key list` shows.
        id: Uuid,
    },
}

impl Key {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self.command {
            KeyCommand::Create {
                database,
                shop,
                kind,
                name,
            } => {
                if let Err(error) = keys::check_name(&name) {
                    bail!("--{error}");
                }
                let app = super::start(&database).await?;
                let shop = super::find_shop(&app, shop.as_deref()).await?;
                let created = keys::issue(&app, shop.tenant, kind, &name, None).await?;
                println!("{}", created.secret.0);
                app.shut_down().await;
            }
            KeyCommand::List { database, shop } => {
                let app = super::start(&database).await?;
                let shop = super::find_shop(&app, shop.as_deref()).await?;
                for key in store::keys::list(&app.db, shop.tenant).await? {
                    let state = if key.revoked_at_ms.is_some() {
                        "revoked"
                    } else {
                        "valid"
                    };
                    println!(
                        "{}  {:10}  {:7}  {}…  {}",
                        key.id,
                        key.kind.as_str(),
                        state,
                        key.hint,
                        key.name
                    );
                }
                app.shut_down().await;
            }
            KeyCommand::Revoke { database, id } => {
                let app = super::start(&database).await?;
                let revoked = store::txn::write(&app.db, Priority::Request, async |txn| {
                    let now_ms = txn.now_ms().await?;
                    store::keys::revoke(txn, KeyId(id), now_ms).await
                })
                .await?;
                app.shut_down().await;
                if !revoked {
                    bail!("no valid key has the id {id}: see `masterorder key list`");
                }
                println!("revoked {id}");
            }
        }
        Ok(())
    }
}
