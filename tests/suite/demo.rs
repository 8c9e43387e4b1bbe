//! What `masterorder demo` prints, used the way people use it: every link is opened, every credential asked.
//!
//! Here the real binary runs. A link that is built beside the pages breaks when a page moves; a code that is printed one
//! module off looks like a code.

use anyhow::{Context, Result, ensure};
use harness::client::{Credentials, key, line, order};
use harness::process::Demo;
use harness::{Client, Table, on_both_databases};
use qrcode::{Color, EcLevel, QrCode};
use serde_json::{Value, json};
use std::net::SocketAddr;
use uuid::Uuid;

const ON_THIS_MACHINE: [&str; 2] = ["--listen", "127.0.0.1:0"];
/// What a code is drawn with, the blank aside.
const BLOCKS: [char; 3] = ['█', '▀', '▄'];
/// Light modules on each side of a code.
const QUIET_ZONE: usize = 4;

/// The links that a demo printed.
struct Links {
    address: SocketAddr,
    /// In order, with the table's label as the name.
    guests: Vec<(Table, String)>,
    staff_key: String,
    integrator_key: String,
}

impl Links {
    /// Reads what was printed.
    fn parse(printed: &str) -> Result<Self> {
        let after = |words: &str| {
            let (_, rest) = printed.split_once(words)?;
            rest.split_whitespace().next()
        };
        let address = after(" is open on http://").context("no address")?.parse()?;
        let mut guests = Vec::new();
        for line in printed.lines().filter(|line| line.contains("/#t=")) {
            let (label, link) = line.trim().split_once(' ').context("no name")?;
            let (_, credentials) = link.split_once("/#t=").context("no table session")?;
            let (id, pin) = credentials.split_once("&p=").context("no PIN")?;
            let table = Table {
                id: id.parse()?,
                pin: pin.to_owned(),
                label: label.to_owned(),
            };
            guests.push((table, link.trim().to_owned()));
        }
        Ok(Self {
            address,
            guests,
            staff_key: after("/staff#k=").context("no staff key")?.to_owned(),
            integrator_key: after("Authorization: Bearer ").context("no integrator key")?.to_owned(),
        })
    }

    fn guest(&self, table: &Table) -> Client {
        Client::new(self.address, Credentials::guest(table, Uuid::new_v4()))
    }

    fn key(&self, key: &str) -> Client {
        Client::new(self.address, Credentials::key(key))
    }

    /// Opens an address as a browser does, without the fragment, and returns the kind of what is there.
    async fn open(&self, path: &str) -> Result<String> {
        let anybody = Client::new(self.address, Credentials::default());
        let request = anybody.request(reqwest::Method::GET, path);
        let response = request.header("accept", "text/html,*/*").send().await?;
        // the playground is there once `npm ci` has run; until then its page says so
        let fine = response.status() == 200 || (path == "/graphql" && response.status() == 404);
        ensure!(fine, "{path}: {}", response.status());
        let kind = response.headers().get("content-type").context("no content type")?;
        Ok(kind.to_str()?.to_owned())
    }
}

/// Answers whether a drawing of half blocks with quiet around it is the code of this link.
fn is_code_of(printed: &str, link: &str) -> Result<bool> {
    let dark = |line: &str, halves: [char; 2]| -> Vec<bool> { line.chars().map(|c| halves.contains(&c)).collect() };
    let rows: Vec<_> = printed
        .lines()
        .filter(|line| line.contains(BLOCKS) && line.chars().all(|c| c == ' ' || BLOCKS.contains(&c)))
        .flat_map(|line| [dark(line, ['█', '▀']), dark(line, ['█', '▄'])])
        .collect();
    let code = QrCode::with_error_correction_level(link, EcLevel::L)?;
    let modules: Vec<_> = code
        .to_colors()
        .chunks(code.width())
        .map(|row| {
            let quiet = [false; QUIET_ZONE];
            let row = row.iter().map(|&color| color == Color::Dark);
            quiet.into_iter().chain(row).chain(quiet).collect::<Vec<_>>()
        })
        .collect();
    // lines without a dark module are above and below, and no line here
    Ok(rows.windows(modules.len()).any(|rows| rows == modules))
}

on_both_databases! {
    async fn every_link_that_is_printed_opens(db) {
        let demo = Demo::open(&db.url, &ON_THIS_MACHINE).await?;
        let links = Links::parse(&demo.printed).with_context(|| demo.printed.clone())?;
        assert!(links.address.ip().is_loopback(), "{}", demo.printed);
        let labels: Vec<_> = links.guests.iter().map(|(table, _)| table.label.as_str()).collect();
        assert_eq!(labels, ["T1", "T2", "T3", "T4"], "{}", demo.printed);

        let html = "text/html; charset=utf-8";
        assert_eq!(links.open("/").await?, html);
        for (table, link) in &links.guests {
            assert!(link.starts_with(&format!("http://{}/#", links.address)), "{link}");
            let own = links.guest(table).send("{ tableSession { id table } }", json!({})).await?;
            let expected = json!({ "id": table.id, "table": table.label });
            assert_eq!(own.body["data"]["tableSession"], expected, "{}", own.body);
        }
        for page in ["/staff", "/graphql"] {
            assert_eq!(links.open(page).await?, html, "{page}");
        }
        assert!(links.open("/schema.graphql").await?.starts_with("text/plain"));
        for line in ["/staff#k=", "/graphql\n", "/schema.graphql\n"] {
            assert!(demo.printed.contains(&format!("http://{}{line}", links.address)), "{line}: {}", demo.printed);
        }
        // the kitchen's link and the playground's key are one key; the other is an integrator's
        assert_eq!(demo.printed.matches(&links.staff_key).count(), 2, "{}", demo.printed);
        let tickets = "{ kitchenTickets { id } }";
        let staff = links.key(&links.staff_key).send(tickets, json!({})).await?;
        // the proof has left nothing to cook
        assert_eq!(staff.body["data"]["kitchenTickets"], json!([]), "{}", staff.body);
        assert_eq!(links.key(&links.integrator_key).send(tickets, json!({})).await?.code(), "FORBIDDEN");
        // nobody but this machine gets in, so that nobody is warned and nothing is there for a phone
        assert!(!demo.printed.contains(BLOCKS) && !demo.printed.contains("Everybody"), "{}", demo.printed);
    }

    async fn a_phone_scans_its_way_to_the_table(db) {
        let demo = match Demo::open(&db.url, &[&["--lan"], &ON_THIS_MACHINE[..]].concat()).await {
            Ok(demo) => demo,
            // what a machine without a network has to say is all that it can be asked for
            Err(error) if format!("{error:#}").contains("--lan found no network") => return Ok(()),
            Err(error) => return Err(error),
        };
        let links = Links::parse(&demo.printed).with_context(|| demo.printed.clone())?;
        let ip = links.address.ip();
        assert!(!ip.is_loopback() && !ip.is_unspecified(), "{}", demo.printed);
        assert!(demo.printed.contains("Everybody in this network can open it"), "{}", demo.printed);

        let (table, link) = links.guests.first().context("no table")?;
        assert!(is_code_of(&demo.printed, link)?, "{}", demo.printed);
        // the comparison can tell
        assert!(!is_code_of(&demo.printed, &format!("{link}0"))?);
        assert_eq!(links.open("/").await?, "text/html; charset=utf-8");
        let guest = links.guest(table);
        let menu = guest.send("{ menu { sections { items { id } } } }", json!({})).await?;
        let item = &menu.body["data"]["menu"]["sections"][0]["items"][0]["id"];
        let item: Uuid = item.as_str().context("no item")?.parse()?;
        let placed = guest.place(order(&key(), json!([line(item, 1)]))).await?.order_id()?;
        let query = "{ kitchenTickets { orderId } }";
        let tickets = links.key(&links.staff_key).send(query, json!({})).await?;
        let tickets = tickets.body["data"]["kitchenTickets"].as_array().cloned().unwrap_or_default();
        let ordered: Vec<&Value> = tickets.iter().map(|ticket| &ticket["orderId"]).collect();
        assert!(ordered.contains(&&json!(placed)), "{ordered:?}");
    }

    async fn an_address_that_is_named_is_the_one_for_phones(db) {
        // an address of a documentation network: nobody has it
        let named = ["--lan", "--listen", "203.0.113.77:0"];
        let refused = Demo::open(&db.url, &named).await.err().context("it listens on an address of nobody")?;
        assert!(format!("{refused:#}").contains("can not listen on 203.0.113.77:0"), "{refused:#}");
    }
}
