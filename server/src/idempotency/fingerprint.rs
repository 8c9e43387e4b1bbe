//! The fingerprint of a validated command: SHA-256 over its canonical, versioned encoding.
//!
//! One digest per field is kept beside it, to *name* what differs without keeping values. Golden vectors below pin every
//! version; a version that nodes may have written is never edited. Reading a new version ships before writing it.

use masterorder_protocol::ids::{CheckoutId, TableSessionId, TenantId};
use masterorder_protocol::lines::{Line, sorted};
use masterorder_protocol::money::Money;
use masterorder_protocol::text::Text;
use sha2::{Digest, Sha256};

/// The version that this build writes, and the newest that it reads.
pub const VERSION: i64 = 1;
/// A claim without a fingerprint: a withdrawal made it, and it is bound to its caller instead.
pub const NO_VERSION: i64 = 0;

/// Everything a fingerprint covers. Never the GraphQL document, trace ids or `confirmDuplicateOf`.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The account.
    pub tenant: TenantId,
    /// The party that pays.
    pub table_session: TableSessionId,
    /// `guest`, `staff` or `integrator`.
    pub principal_kind: &'a str,
    /// The use case.
    pub operation: &'a str,
    /// The cart, if it was named.
    pub checkout: Option<CheckoutId>,
    /// Canonical lines in any order.
    pub lines: &'a [Line],
    /// The order's note.
    pub note: &'a Text,
    /// What the guest saw.
    pub expected_total: Option<Money>,
}

/// A digest of the whole with one per field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// Which encoding.
    pub version: i64,
    /// Over all fields.
    pub digest: [u8; 32],
    /// `name=hex` of each field's first eight bytes, joined by `;`, in encoding order.
    pub field_digests: String,
}

/// Digests a command with the encoding of the given version.
///
/// *Errors*: `None` for a version that this build does not know.
pub fn compute(version: i64, subject: &Subject<'_>) -> Option<Fingerprint> {
    match version {
        1 => Some(v1(subject)),
        _ => None,
    }
}

/// Names the input fields whose digests differ. *Shape*: in encoding order.
pub fn differing_fields(one: &str, other: &str) -> Vec<String> {
    let parse = |digests: &str| -> Vec<(String, String)> {
        digests
            .split(';')
            .filter_map(|f| f.split_once('='))
            .map(|(name, digest)| (name.to_owned(), digest.to_owned()))
            .collect()
    };
    let others = parse(other);
    parse(one)
        .into_iter()
        .filter(|field| !others.contains(field))
        .map(|(name, _)| name)
        .collect()
}

fn v1(subject: &Subject<'_>) -> Fingerprint {
    let mut lines = Encoding::default();
    for line in sorted(subject.lines) {
        lines.bytes(line.item.0.as_bytes()).bytes(&[line.quantity]);
        lines.count(line.toppings.len());
        for topping in &line.toppings {
            lines.bytes(topping.topping.0.as_bytes()).bytes(&[topping.quantity]);
        }
        lines.bytes(line.note.compared().as_bytes());
    }
    let total = subject.expected_total.map_or_else(Vec::new, |total| {
        [
            &total.amount_minor.to_be_bytes()[..],
            total.currency.as_str().as_bytes(),
        ]
        .concat()
    });
    let checkout = subject.checkout.map(|c| *c.0.as_bytes());
    let fields: [(&str, &[u8]); 8] = [
        ("tenantId", subject.tenant.0.as_bytes()),
        ("tableSessionId", subject.table_session.0.as_bytes()),
        ("principal", subject.principal_kind.as_bytes()),
        ("operation", subject.operation.as_bytes()),
        ("checkoutId", checkout.as_ref().map_or(&[][..], |c| c)),
        ("lines", &lines.0),
        ("note", subject.note.compared().as_bytes()),
        ("expectedTotal", &total),
    ];
    let mut whole = Sha256::new_with_prefix(b"masterorder fingerprint v1\n");
    let mut field_digests = String::new();
    for (name, value) in fields {
        let digest = Sha256::new_with_prefix(name)
            .chain_update(b"\n")
            .chain_update(value)
            .finalize();
        whole.update(digest);
        if !field_digests.is_empty() {
            field_digests.push(';');
        }
        field_digests.push_str(name);
        field_digests.push('=');
        for byte in &digest[..8] {
            field_digests.push_str(&format!("{byte:02x}"));
        }
    }
    Fingerprint {
        version: 1,
        digest: whole.finalize().into(),
        field_digests,
    }
}

/// Hashes what is ordered, notes left out: table session and the sorted `item:quantity:toppings`. For the content window.
pub fn content_hash(table_session: TableSessionId, lines: &[Line]) -> [u8; 32] {
    let mut merged: Vec<(&Line, u32)> = Vec::with_capacity(lines.len());
    for line in sorted(lines) {
        match merged.last_mut() {
            Some((last, quantity)) if last.item == line.item && last.toppings == line.toppings => {
                *quantity += u32::from(line.quantity);
            }
            _ => merged.push((line, u32::from(line.quantity))),
        }
    }
    let mut encoding = Encoding::default();
    encoding.bytes(table_session.0.as_bytes());
    for (line, quantity) in merged {
        encoding.bytes(line.item.0.as_bytes()).bytes(&quantity.to_be_bytes());
        encoding.count(line.toppings.len());
        for topping in &line.toppings {
            encoding.bytes(topping.topping.0.as_bytes()).bytes(&[topping.quantity]);
        }
    }
    Sha256::digest(&encoding.0).into()
}

/// Hashes what the content hash leaves out: the notes, each with the line it belongs to.
pub fn notes_hash(lines: &[Line], note: &Text) -> [u8; 32] {
    let mut encoding = Encoding::default();
    encoding.bytes(note.compared().as_bytes());
    for line in sorted(lines).into_iter().filter(|l| !l.note.is_blank()) {
        encoding.bytes(line.item.0.as_bytes()).bytes(&[line.quantity]);
        encoding.count(line.toppings.len());
        for topping in &line.toppings {
            encoding.bytes(topping.topping.0.as_bytes()).bytes(&[topping.quantity]);
        }
        encoding.bytes(line.note.compared().as_bytes());
    }
    Sha256::digest(&encoding.0).into()
}

/// Length-prefixed bytes: no two sequences of fields encode alike.
#[derive(Default)]
struct Encoding(Vec<u8>);

impl Encoding {
    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
        self
    }

    fn count(&mut self, count: usize) {
        self.0.extend_from_slice(&(count as u64).to_be_bytes());
    }
}

#[cfg(test)]
#[path = "fingerprint_tests.rs"]
mod tests;
