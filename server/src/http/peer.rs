//! Where a request comes from: the peer of its connection, or what proxies say that the operator trusts.

use super::graphql::Door;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// What a proxy adds to: the address that it was called from, at the end of those that it was told.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address that a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

impl FromRequestParts<Door> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Infallible> {
        let connection = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let connection = connection.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
        Ok(Self(origin(
            connection,
            &parts.headers,
            &door.app.settings.trusted_proxies,
        )))
    }
}

/// Follows the header from its end for as long as the address before was a trusted proxy: what stands further left was written
/// by whoever called, and may be a lie.
fn origin(connection: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|net| net.contains(&address.to_canonical()));
    let told = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let told: Vec<&str> = told.flat_map(|value| value.split(',')).map(str::trim).collect();
    let mut address = connection;
    for next in told.iter().rev() {
        if !is_trusted(address) {
            break;
        }
        match next.parse() {
            Ok(next) => address = next,
            Err(_) => break,
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn origin_of(connection: &str, forwarded: &[&'static str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(FORWARDED_FOR, HeaderValue::from_static(value));
        }
        let trusted: Vec<IpNet> = trusted.iter().filter_map(|net| net.parse().ok()).collect();
        let connection = connection.parse().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        origin(connection, &headers, &trusted).to_string()
    }

    #[test]
    fn nobody_is_believed_by_default() {
        assert_eq!(origin_of("192.0.2.1", &["203.0.113.9"], &[]), "192.0.2.1");
    }

    #[test]
    fn a_trusted_proxy_is_believed_and_who_stands_before_it_is_not() {
        let trusted = ["10.0.0.0/8", "fd00::/8"];
        for (connection, forwarded, expected) in [
            ("10.0.0.1", &["203.0.113.9"][..], "203.0.113.9"),
            ("10.0.0.1", &["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["198.51.100.1", "203.0.113.9, 10.2.3.4"], "203.0.113.9"),
            ("::ffff:10.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("fd00::1", &["2001:db8::7"], "2001:db8::7"),
            ("192.0.2.1", &["203.0.113.9"], "192.0.2.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["unknown"], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.9, nonsense"], "10.0.0.1"),
        ] {
            assert_eq!(
                origin_of(connection, forwarded, &trusted),
                expected,
                "{connection} {forwarded:?}"
            );
        }
    }
}
