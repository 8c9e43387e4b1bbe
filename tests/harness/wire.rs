//! A wire between two parties that a test can cut: a TCP proxy.

use anyhow::{Context, Result};
use masterorder_server::store::dialect::Target;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How long whoever was heard last may work before a deaf wire is cut: time for a COMMIT.
const LAST_WORDS: Duration = Duration::from_millis(40);
/// How long a wire is deaf at most, for whoever only waits for an answer.
const SILENCE: Duration = Duration::from_millis(600);

/// What happens to the connections that are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Whole,
    /// Both ends see a closed connection, at once.
    Cut,
    /// The next words arrive, no answer does, and then it is cut.
    Deaf,
    /// Nothing arrives, and neither end is told.
    Silent,
}

/// A wire. New connections go through whatever happened to older ones.
pub struct Wire {
    /// Its near end.
    pub address: SocketAddr,
    far_end: Arc<Mutex<SocketAddr>>,
    manner: watch::Sender<Manner>,
    accepting: JoinHandle<()>,
}

impl Wire {
    /// Lays one to an address.
    pub async fn to(far_end: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let far_end = Arc::new(Mutex::new(far_end));
        let (manner, _) = watch::channel(Manner::Whole);
        let (target, events) = (far_end.clone(), manner.clone());
        let accepting = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let target = *target.lock().unwrap_or_else(PoisonError::into_inner);
                let mut manner = events.subscribe();
                let is_silent = *manner.borrow_and_update() == Manner::Silent;
                tokio::spawn(async move {
                    if is_silent {
                        stay_silent(manner).await;
                        drop(near);
                    } else if let Ok(far) = TcpStream::connect(target).await {
                        carry(near, far, manner).await;
                    }
                });
            }
        });
        Ok(Self {
            address,
            far_end,
            manner,
            accepting,
        })
    }

    /// Lays one to the PostgreSQL of a URL; returns it with the URL that leads through it.
    pub async fn to_database(url: &str) -> Result<(Self, String)> {
        let Target::Postgres(options) = Target::parse(url).map_err(anyhow::Error::msg)? else {
            anyhow::bail!("there is no wire to a file");
        };
        let far_end = tokio::net::lookup_host((options.get_host(), options.get_port()))
            .await
            .context("TEST_POSTGRES_URL: a host and a port, not a socket")?
            .next()
            .context("TEST_POSTGRES_URL: no such host")?;
        let wire = Self::to(far_end).await?;
        let (scheme, rest) = url.split_once("://").context("no URL")?;
        let (authority, path) = rest.split_once('/').context("no database in the URL")?;
        let user = authority
            .rsplit_once('@')
            .map_or(String::new(), |(user, _)| format!("{user}@"));
        let through = format!("{scheme}://{user}{}/{path}", wire.address);
        Ok((wire, through))
    }

    /// Leads new connections to another address.
    pub fn lead_to(&self, far_end: SocketAddr) {
        *self.far_end.lock().unwrap_or_else(PoisonError::into_inner) = far_end;
    }

    /// Cuts all connections that are open.
    pub fn cut(&self) {
        self.manner.send_replace(Manner::Cut);
    }

    /// On each connection that is open the next words still arrive; their answer does not, and the connection is cut. Whoever
    /// says nothing is cut a moment later.
    pub fn deafen(&self) {
        self.manner.send_replace(Manner::Deaf);
    }

    /// Carries nothing from now on, without a word to either end, as when a cable is pulled. New connections find silence too.
    pub fn silence(&self) {
        self.manner.send_replace(Manner::Silent);
    }

    /// Carries new connections again. The old ones stay silent: whatever knew of them has forgotten them.
    pub fn mend(&self) {
        self.manner.send_replace(Manner::Whole);
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.cut();
        self.accepting.abort();
    }
}

/// Carries bytes both ways until an end hangs up or the wire is cut.
async fn carry(near: TcpStream, far: TcpStream, mut manner: watch::Receiver<Manner>) {
    // packets are small and somebody waits for each; without it Nagle's algorithm holds them back
    let _ = (near.set_nodelay(true), far.set_nodelay(true));
    let ((mut near_in, mut near_out), (mut far_in, mut far_out)) = (near.into_split(), far.into_split());
    let mut deaf = false;
    let mut silence = Duration::MAX;
    let (mut question, mut answer) = (vec![0; 16 * 1024], vec![0; 16 * 1024]);
    loop {
        tokio::select! {
            changed = manner.changed() => match changed.map(|()| *manner.borrow_and_update()) {
                Ok(Manner::Whole) => {}
                Ok(Manner::Deaf) => (deaf, silence) = (true, SILENCE),
                Ok(Manner::Silent) => return stay_silent(manner).await,
                Ok(Manner::Cut) | Err(_) => return,
            },
            () = tokio::time::sleep(silence) => return,
            carried = pass(&mut near_in, &mut far_out, &mut question) => {
                if !carried {
                    return;
                }
                if deaf {
                    tokio::time::sleep(LAST_WORDS).await;
                    return;
                }
            }
            carried = pass(&mut far_in, &mut near_out, &mut answer), if !deaf => {
                if !carried {
                    return;
                }
            }
        }
    }
}

/// Keeps both ends open and carries nothing, until the wire is cut.
async fn stay_silent(mut manner: watch::Receiver<Manner>) {
    let _ = manner.wait_for(|manner| *manner == Manner::Cut).await;
}

/// Passes on what comes next. Only the reading may be given up halfway.
async fn pass(from: &mut (impl AsyncRead + Unpin), to: &mut (impl AsyncWrite + Unpin), buffer: &mut [u8]) -> bool {
    match from.read(buffer).await {
        Ok(0) | Err(_) => false,
        Ok(read) => to.write_all(&buffer[..read]).await.is_ok(),
    }
}
