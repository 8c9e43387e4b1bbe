//! Live feeds over graphql-transport-ws. Credentials come in `connection_init` under the names of the headers, because a
//! browser can not send headers with a socket.

use super::graphql::Door;
use super::headers::{CLIENT_ID, SESSION_ID, SESSION_PIN};
use super::peer::Peer;
use super::principal::{authenticate, find};
use crate::graphql::caller::Caller;
use crate::graphql::error;
use crate::graphql::subscription::executor::Watcher;
use crate::refusal::Refusal;
use async_graphql::http::{WebSocket as Protocol, WebSocketProtocols, WsMessage};
use async_graphql::{Data, Error};
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, interval, timeout};

/// Sockets of one node: beyond it new ones are told to come back; ordering goes on.
pub const MAX_SOCKETS: usize = 10_000;
/// Bytes of a message, as of a request's body.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;
/// A socket's read buffer; tungstenite would take 128 KiB for each.
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// How long a socket may stay without credentials.
const INIT_DEADLINE: Duration = Duration::from_secs(5);
/// Between our pings, and between two looks at the credentials: a revoked key watches no longer than this. Below the idle limit
/// of common proxies (60 s).
const PING: Duration = Duration::from_secs(20);
/// Without a sign of life for so long the peer is gone: two pings unanswered.
const SILENCE: Duration = Duration::from_secs(45);
/// How long a peer may take to read a message before it is given up.
const SEND: Duration = Duration::from_secs(10);
/// How long a peer may take to answer a goodbye.
const FAREWELL: Duration = Duration::from_secs(1);
/// Messages of a peer that wait to be looked at.
const INBOX: usize = 16;

/// The subprotocol that we speak.
const SUBPROTOCOL: &str = "graphql-transport-ws";

/// Close codes of graphql-transport-ws and RFC 6455.
mod close {
    pub const GOING_AWAY: u16 = 1001;
    pub const INIT_TIMEOUT: u16 = 4408;
    pub const UNAUTHORIZED: u16 = 4401;
    pub const FORBIDDEN: u16 = 4403;
}

/// Opens a socket.
pub async fn open(State(door): State<Door>, peer: Peer, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    if !origin_allowed(&headers, &door.allowed_origins) {
        return (StatusCode::FORBIDDEN, "this origin may not open sockets here").into_response();
    }
    let Ok(place) = door.sockets.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many sockets, come back later").into_response();
    };
    upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(MAX_MESSAGE_BYTES)
        .read_buffer_size(READ_BUFFER_BYTES)
        .on_upgrade(move |socket| serve(door, peer, headers, socket, place))
}

/// Pages of the same host, pages that are allowed by name, and programs, which send no origin.
fn origin_allowed(headers: &HeaderMap, allowed: &[String]) -> bool {
    let Some(origin) = headers.get(ORIGIN) else {
        return true;
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    let own = headers.get(HOST).and_then(|h| h.to_str().ok());
    let host = origin.split_once("://").map(|(_, host)| host);
    (host.is_some() && host == own) || allowed.iter().any(|a| a == "*" || a.trim_end_matches('/') == origin)
}

async fn serve(door: Door, origin: Peer, headers: HeaderMap, socket: WebSocket, _place: OwnedSemaphorePermit) {
    let _open = door.app.metrics.live.socket();
    if socket.protocol().is_none() {
        let reason = format!("speak {SUBPROTOCOL}");
        return end(socket, 4406, &reason).await;
    }
    let app = door.app.clone();
    let (mut sink, mut peer) = socket.split();
    let (inbox, messages) = mpsc::channel::<Vec<u8>>(INBOX);
    let messages = futures_util::stream::unfold(messages, async |mut m| m.recv().await.map(|text| (text, m)));
    // set when it was welcomed
    let credentials = Arc::new(OnceLock::<HeaderMap>::new());
    let protocol = {
        let (door, credentials) = (door.clone(), credentials.clone());
        Protocol::new(
            Watcher::new(door.schema.clone(), app.metrics.live.clone()),
            Box::pin(messages),
            WebSocketProtocols::GraphQLWS,
        )
        .on_connection_init(async move |payload| {
            let headers = init(&headers, &payload);
            let data = welcome(&door, &headers, origin).await?;
            let _ = credentials.set(headers);
            Ok(data)
        })
    };
    let mut protocol = Box::pin(protocol);
    let mut ping = interval(PING);
    let deadline = tokio::time::sleep(INIT_DEADLINE);
    tokio::pin!(deadline);
    let mut heard = Instant::now();
    let farewell = loop {
        tokio::select! {
            () = app.stopping.cancelled() => break (close::GOING_AWAY, "the server is shutting down".to_owned()),
            () = &mut deadline, if credentials.get().is_none() => {
                break (close::INIT_TIMEOUT, "connection_init did not come in time".to_owned());
            }
            _ = ping.tick() => {
                if heard.elapsed() > SILENCE || !send(&mut sink, Message::Ping(Default::default())).await {
                    return;
                }
                // in a box: it is there for a moment, and the socket for hours
                if let Some(headers) = credentials.get()
                    && let Err(refusal @ Refusal::Unauthenticated(_)) = Box::pin(find(&app, headers, origin)).await
                {
                    break (close::UNAUTHORIZED, shortened(error::text(&refusal, super::headers::lang(headers))));
                }
            }
            received = peer.next() => {
                heard = Instant::now();
                let text = match received {
                    Some(Ok(Message::Text(text))) => text.as_bytes().to_vec(),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Binary(_))) => break (1003, "send text".to_owned()),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                };
                // whoever sends faster than we look is no client of ours
                if inbox.try_send(text).is_err() {
                    break (1008, "too many messages at once".to_owned());
                }
            }
            answer = protocol.next() => match answer {
                Some(WsMessage::Text(text)) => {
                    if !send(&mut sink, Message::Text(text.into())).await {
                        return;
                    }
                }
                Some(WsMessage::Close(code, reason)) => break (close_code(code, credentials.get().is_some()), reason),
                None => return,
            },
        }
    };
    let frame = CloseFrame {
        code: farewell.0,
        reason: farewell.1.into(),
    };
    if send(&mut sink, Message::Close(Some(frame))).await {
        hear_out(&mut peer).await;
    }
}

/// The close codes that the protocol asks for, where async-graphql has general ones.
fn close_code(code: u16, welcomed: bool) -> u16 {
    match (code, welcomed) {
        (1002, false) => close::FORBIDDEN,
        (1011, false) => close::UNAUTHORIZED,
        (code, _) => code,
    }
}

async fn send(sink: &mut (impl SinkExt<Message> + Unpin), message: Message) -> bool {
    matches!(timeout(SEND, sink.send(message)).await, Ok(Ok(())))
}

async fn end(mut socket: WebSocket, code: u16, reason: &str) {
    let frame = CloseFrame {
        code,
        reason: reason.into(),
    };
    if send(&mut socket, Message::Close(Some(frame))).await {
        hear_out(&mut socket).await;
    }
}

/// Waits for the peer's goodbye (RFC 6455 section 7.1.1). A connection that is shut at once is often reset, and browsers
/// then lose the reason that was sent before.
async fn hear_out(peer: &mut (impl StreamExt<Item = Result<Message, axum::Error>> + Unpin)) {
    let goodbye = async { while let Some(Ok(_)) = peer.next().await {} };
    // whoever stays silent is left
    let _ = timeout(FAREWELL, goodbye).await;
}

/// Reads the payload of `connection_init` as the headers that a request would have.
fn init(request: &HeaderMap, payload: &Value) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(value) = request.get(ACCEPT_LANGUAGE) {
        headers.insert(ACCEPT_LANGUAGE, value.clone());
    }
    for (name, value) in payload.as_object().into_iter().flatten() {
        let known = [SESSION_ID, SESSION_PIN, CLIENT_ID, AUTHORIZATION, ACCEPT_LANGUAGE]
            .into_iter()
            .find(|known: &HeaderName| known.as_str().eq_ignore_ascii_case(name));
        let value = value.as_str().and_then(|text| HeaderValue::from_str(text).ok());
        if let (Some(name), Some(value)) = (known, value) {
            headers.insert(name, value);
        }
    }
    headers
}

/// Lets in who may be let in.
async fn welcome(door: &Door, headers: &HeaderMap, origin: Peer) -> Result<Data, Error> {
    let lang = super::headers::lang(headers);
    match authenticate(door, headers, origin).await {
        Ok(Some(principal)) => {
            let mut data = Data::default();
            data.insert(Caller::new(door.app.clone(), Some(principal), lang, None));
            Ok(data)
        }
        Ok(None) => Err(Error::new(
            "connection_init must carry X-Session-Id, X-Session-PIN and X-MasterOrder-Client-Id, or Authorization",
        )),
        Err(refusal) => Err(Error::new(shortened(error::text(&refusal, lang)))),
    }
}

/// A close reason has room for 123 bytes.
fn shortened(mut text: String) -> String {
    let mut end = text.len().min(120);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(origin: Option<&'static str>, list: &[&str]) -> bool {
        let mut headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("shop.example:8080"))]);
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_static(origin));
        }
        let list: Vec<String> = list.iter().map(|s| (*s).to_owned()).collect();
        origin_allowed(&headers, &list)
    }

    #[test]
    fn own_pages_allowed_pages_and_programs_may_open_sockets() {
        assert!(allowed(None, &[]));
        assert!(allowed(Some("http://shop.example:8080"), &[]));
        assert!(allowed(Some("https://app.example"), &["https://app.example/"]));
        assert!(allowed(Some("https://any.example"), &["*"]));
        assert!(!allowed(Some("https://evil.example"), &[]));
        assert!(!allowed(Some("https://shop.example"), &[]));
        assert!(!allowed(Some("null"), &["https://app.example"]));
    }

    #[test]
    fn a_close_reason_fits_into_its_frame() {
        assert!(shortened("あ".repeat(100)).len() <= 123);
        assert_eq!(shortened("short".into()), "short");
    }
}
