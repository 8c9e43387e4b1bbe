//! The smallest HTTP/1.1 client that can measure: it shares its cores with what it measures, so it does nothing that an answer of
//! this server does not need.

use anyhow::{Context, Result, ensure};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Larger than any answer here.
const MOST: usize = 1 << 20;

/// A connection that is kept.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'b> {
    /// HTTP status.
    pub status: u16,
    /// As it came.
    pub body: &'b [u8],
}

impl Connection {
    /// Connects.
    pub async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await.context("connect to the server")?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(16 * 1024),
        })
    }

    /// Sends a request and hangs up.
    pub async fn hang_up_after(mut self, request: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(request).await?)
    }

    /// Sends a request and waits for its answer.
    pub async fn ask(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        loop {
            let read = self.stream.read_buf(&mut self.buffer).await?;
            ensure!(read > 0, "the server hung up");
            ensure!(self.buffer.len() < MOST, "the answer does not end");
            if let Some(head) = Head::read(&self.buffer)? {
                let end = head.bytes + head.body_bytes;
                if self.buffer.len() >= end {
                    return Ok(Answer {
                        status: head.status,
                        body: &self.buffer[head.bytes..end],
                    });
                }
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    bytes: usize,
    body_bytes: usize,
}

impl Head {
    /// Reads what stands before the body; `None` while it is not complete.
    fn read(buffer: &[u8]) -> Result<Option<Self>> {
        let Some(end) = find(buffer, b"\r\n\r\n") else {
            return Ok(None);
        };
        let head = std::str::from_utf8(&buffer[..end]).context("a head that is no text")?;
        let mut lines = head.split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok())
            .context("no status line")?;
        let length = lines.find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse().ok())?
        });
        Ok(Some(Self {
            status,
            bytes: end + 4,
            body_bytes: length.context("an answer without its length")?,
        }))
    }
}

/// Where a text begins in another one.
pub fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    let first = *what.first()?;
    let mut from = 0;
    while let Some(at) = text.get(from..)?.iter().position(|byte| *byte == first) {
        let begin = from + at;
        if text[begin..].starts_with(what) {
            return Some(begin);
        }
        from = begin + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_when_it_is_complete() {
        let text = b"HTTP/1.1 201 Created\r\nServer: x\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(Head::read(&text[..30]).ok(), Some(None));
        let head = Head {
            status: 201,
            bytes: text.len() - 5,
            body_bytes: 5,
        };
        assert_eq!(Head::read(text).ok(), Some(Some(head)));
    }

    #[test]
    fn an_answer_without_its_length_is_not_guessed_at() {
        assert!(Head::read(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").is_err());
    }

    #[test]
    fn a_text_is_found() {
        assert_eq!(find(b"aab", b"ab"), Some(1));
        assert_eq!(find(b"aab", b"ac"), None);
        assert_eq!(find(b"", b"a"), None);
    }
}
