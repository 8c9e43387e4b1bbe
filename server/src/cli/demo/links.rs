use crate::catalog::demo::Seeded;
use crate::tables::TableSession;
use std::net::SocketAddr;

/// For whoever opened the demo to a network.
pub(super) const IN_THE_NETWORK: &str =
    "\nEverybody in this network can open it, and read along: it is plain HTTP, for trying out.\n";

/// When this is read, everything is printed.
pub(super) const LAST_LINE: &str = "\nCtrl-C stops it.\n";

/// A table's page, with what a guest of it needs.
pub(super) fn guest(address: SocketAddr, table: &TableSession) -> String {
    format!("http://{address}/#t={}&p={}", table.id, table.pin)
}

/// All of them, each to be opened as it is.
pub(super) fn text(address: SocketAddr, seeded: &Seeded) -> String {
    let site = format!("http://{address}");
    let (staff, integrator) = (&seeded.staff_key.0, &seeded.integrator_key.0);
    let mut text = format!("\n{} is open on {site}\n", seeded.shop.name.en);

    text += "\n  Guests: each table has its page\n";
    for table in &seeded.sessions {
        text += &line(&table.table, &guest(address, table));
    }
    text += "\n  Staff\n";
    text += &line("kitchen", &format!("{site}/staff#k={staff}"));
    text += &line("playground", &format!("{site}/graphql"));
    text += &line("its key", staff);
    text += "\n  Integrators\n";
    text += &line("endpoint", &format!("POST {site}/graphql"));
    text += &line("schema", &format!("{site}/schema.graphql"));
    text += &line("header", &format!("Authorization: Bearer {integrator}"));
    text
}

fn line(name: &str, what: &str) -> String {
    format!("    {name:<11} {what}\n")
}
