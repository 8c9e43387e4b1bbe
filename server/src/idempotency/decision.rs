//! Compares the claim that holds a key with the request that asks under it. Pure.

use super::fingerprint::{self, Fingerprint};

/// What a claim row says about its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Version of the stored fingerprint; `NO_VERSION` where a withdrawal made the claim.
    pub fingerprint_version: i64,
    /// The stored digest.
    pub fingerprint: Vec<u8>,
    /// The stored digests of the fields.
    pub field_digests: String,
    /// The scope that made the claim: a table session or an API key.
    pub caller: String,
}

/// What to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The same request: its outcome is the answer.
    Same,
    /// Another request holds the key. *Shape*: names of the fields that differ; empty for a foreign caller.
    Reused(Vec<String>),
    /// A newer node wrote the claim; only a node of its version can compare.
    NewerVersion,
}

/// Compares. `compute` digests the request with the encoding of a given version.
pub fn decide(claim: &Claim, caller: &str, compute: impl Fn(i64) -> Option<Fingerprint>) -> Decision {
    if claim.fingerprint_version == fingerprint::NO_VERSION {
        // what a withdrawal stored holds for whatever its caller sends under the key
        return if claim.caller == caller {
            Decision::Same
        } else {
            Decision::Reused(Vec::new())
        };
    }
    let Some(asked) = compute(claim.fingerprint_version) else {
        return Decision::NewerVersion;
    };
    if asked.digest[..] == claim.fingerprint[..] {
        return Decision::Same;
    }
    if claim.caller != caller {
        return Decision::Reused(Vec::new());
    }
    Decision::Reused(fingerprint::differing_fields(
        &asked.field_digests,
        &claim.field_digests,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(digest: u8, note: &str) -> Fingerprint {
        Fingerprint {
            version: 1,
            digest: [digest; 32],
            field_digests: format!("lines=aa;note={note}"),
        }
    }

    fn claim(version: i64) -> Claim {
        Claim {
            fingerprint_version: version,
            fingerprint: vec![1; 32],
            field_digests: "lines=aa;note=bb".into(),
            caller: "session:1".into(),
        }
    }

    fn known(version: i64, print: Fingerprint) -> Option<Fingerprint> {
        (version == 1).then_some(print)
    }

    #[test]
    fn the_same_request_is_the_same_whoever_compares() {
        assert_eq!(
            decide(&claim(1), "session:1", |v| known(v, print(1, "bb"))),
            Decision::Same
        );
    }

    #[test]
    fn another_request_names_its_fields_to_the_owner_only() {
        assert_eq!(
            decide(&claim(1), "session:1", |v| known(v, print(2, "cc"))),
            Decision::Reused(vec!["note".into()])
        );
        assert_eq!(
            decide(&claim(1), "session:2", |v| known(v, print(2, "cc"))),
            Decision::Reused(vec![])
        );
    }

    #[test]
    fn a_newer_version_is_never_called_key_reuse() {
        assert_eq!(
            decide(&claim(2), "session:1", |v| known(v, print(1, "bb"))),
            Decision::NewerVersion
        );
    }

    #[test]
    fn a_withdrawal_holds_for_its_caller_whatever_the_content() {
        let withdrawn = claim(fingerprint::NO_VERSION);
        assert_eq!(decide(&withdrawn, "session:1", |_| None), Decision::Same);
        assert_eq!(decide(&withdrawn, "session:2", |_| None), Decision::Reused(vec![]));
    }
}
