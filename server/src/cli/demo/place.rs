use anyhow::{Context, ensure};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// An address of RFC 5737, which nobody has. No packet is sent to it: it only asks which way packets would leave.
const ELSEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(203, 0, 113, 1), 9);

/// Where to listen, and the address that links name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// To listen on.
    pub(super) bind: SocketAddr,
    /// What others connect to.
    pub(super) shown: IpAddr,
}

impl Place {
    /// As `--listen` says. Whoever listens on every address is shown this machine's own.
    pub(super) fn on(listen: SocketAddr) -> Self {
        let shown = match listen.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            named => named,
        };
        Self { bind: listen, shown }
    }

    /// As `--lan` says: where phones in the same network get to. An address that `--listen` names is taken as it is, if it
    /// can be one of a network.
    ///
    /// *Errors*: this machine is in no network.
    pub(super) fn in_the_network(listen: SocketAddr) -> anyhow::Result<Self> {
        if !listen.ip().is_loopback() && !listen.ip().is_unspecified() {
            return Ok(Self::on(listen));
        }
        Ok(Self {
            bind: SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), listen.port()),
            shown: own_address().with_context(|| {
                format!(
                    "--lan found no network: join one, or name this machine's address with --listen ADDRESS:{}",
                    listen.port()
                )
            })?,
        })
    }
}

/// Finds the address under which this machine is known where its packets go.
fn own_address() -> anyhow::Result<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.connect(ELSEWHERE)?;
    let own = socket.local_addr()?.ip();
    ensure!(!own.is_loopback() && !own.is_unspecified(), "the way out is {own}");
    Ok(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap_or_else(|_| SocketAddr::from(([0, 0, 0, 0], 1)))
    }

    #[test]
    fn links_never_name_every_address() {
        for (listen, shown) in [
            ("127.0.0.1:8080", "127.0.0.1"),
            ("0.0.0.0:8080", "127.0.0.1"),
            ("[::]:8080", "::1"),
            ("10.1.2.3:80", "10.1.2.3"),
        ] {
            let place = Place::on(address(listen));
            assert_eq!(place.bind, address(listen));
            assert_eq!(place.shown.to_string(), shown);
        }
    }

    #[test]
    fn an_address_that_listen_names_is_the_one_in_the_network() {
        let named = Place::in_the_network(address("10.1.2.3:80")).ok();
        assert_eq!(named, Some(Place::on(address("10.1.2.3:80"))));
    }

    /// On a machine without a network it says so.
    #[test]
    fn in_the_network_it_listens_everywhere_and_shows_where_it_can_be_found() {
        for listen in ["127.0.0.1:8123", "0.0.0.0:8123", "[::1]:8123"] {
            match Place::in_the_network(address(listen)) {
                Ok(place) => {
                    assert_eq!(place.bind, address("0.0.0.0:8123"));
                    assert!(!place.shown.is_loopback() && !place.shown.is_unspecified());
                }
                Err(error) => assert!(error.to_string().contains("--listen ADDRESS:8123"), "{error}"),
            }
        }
    }
}
