//! A proxy in front of a node, with a fate for every connection: packets come late, arrive twice, or do not arrive.

use anyhow::Result;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// What happens to a connection.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Clear,
    /// Each packet waits. *Units*: ms at most.
    Late(u64),
    /// Whatever is sent also arrives on a second connection, as a gateway replays it; nobody reads that answer.
    Doubled,
    /// Half a request arrives.
    Torn,
    /// The request arrives, its answer does not.
    AnswerLost,
}

impl Fate {
    fn draw() -> Self {
        match rand::random_range(0..100) {
            0..55 => Self::Clear,
            55..70 => Self::Late(60),
            70..80 => Self::Doubled,
            80..86 => Self::Torn,
            _ => Self::AnswerLost,
        }
    }
}

/// Raises the weather in front of a node; returns where to go instead.
pub async fn raise(node: SocketAddr) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            tokio::spawn(async move {
                // whoever is cut off sees it; there is nothing else to do about it
                let _ = carry(near, node, Fate::draw()).await;
            });
        }
    });
    Ok(address)
}

async fn carry(mut near: TcpStream, node: SocketAddr, fate: Fate) -> std::io::Result<()> {
    let mut far = TcpStream::connect(node).await?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    let mut twin = match fate {
        Fate::Doubled => Some(TcpStream::connect(node).await?),
        _ => None,
    };
    let (mut question, mut answer) = (vec![0; 16 * 1024], vec![0; 16 * 1024]);
    loop {
        tokio::select! {
            read = near.read(&mut question) => {
                let read = read?;
                if read == 0 {
                    break;
                }
                late(fate).await;
                let sent = match fate {
                    Fate::Torn => read / 2,
                    _ => read,
                };
                far.write_all(&question[..sent]).await?;
                if let Some(twin) = &mut twin {
                    twin.write_all(&question[..read]).await?;
                }
                if matches!(fate, Fate::Torn) {
                    break;
                }
            }
            read = far.read(&mut answer) => {
                let read = read?;
                if read == 0 || matches!(fate, Fate::AnswerLost) {
                    break;
                }
                late(fate).await;
                near.write_all(&answer[..read]).await?;
            }
        }
    }
    // the doubled request lives on for a while
    if let Some(mut twin) = twin {
        drop((near, far));
        let _ = tokio::time::timeout(Duration::from_secs(2), twin.read(&mut answer)).await;
    }
    Ok(())
}

async fn late(fate: Fate) {
    if let Fate::Late(most_ms) = fate {
        sleep(Duration::from_millis(rand::random_range(0..=most_ms))).await;
    }
}
