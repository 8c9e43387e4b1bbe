//! API keys: made and revoked by staff, seen at once by every node.

use anyhow::{Context, Result};
use harness::client::{K1, key, line, order};
use harness::{Client, on_both_databases};
use serde_json::{Value, json};

const CREATE: &str = "mutation($kind: ApiKeyKind!, $name: String!) { createKey(kind: $kind, name: $name) {
    secret key { id kind name hint createdAt revokedAt } } }";
const REVOKE: &str = "mutation($id: ID!) { revokeKey(keyId: $id) { changed key { id revokedAt } } }";

/// Makes a key; answers its secret and its id.
async fn create(staff: &Client, kind: &str) -> Result<(String, String)> {
    let reply = staff.send(CREATE, json!({ "kind": kind, "name": "the till" })).await?;
    let created = &reply.body["data"]["createKey"];
    let text = |value: &Value| value.as_str().map(str::to_owned).context(reply.body.to_string());
    anyhow::ensure!(
        created["key"]["kind"] == kind && created["key"]["revokedAt"].is_null(),
        "{created}"
    );
    let (secret, hint) = (text(&created["secret"])?, text(&created["key"]["hint"])?);
    anyhow::ensure!(secret.starts_with(&hint) && secret.len() > 2 * hint.len(), "{created}");
    Ok((secret, text(&created["key"]["id"])?))
}

on_both_databases! {
    async fn a_key_works_until_it_is_revoked_and_not_a_request_longer(db) {
        let f = &db.fixture;
        let (one, two) = (db.node().await?, db.node().await?);
        let staff = one.key(&f.staff_key);
        let (secret, id) = create(&staff, "INTEGRATOR").await?;
        let till = two.key(&secret);
        let mut input = order(K1, json!([line(f.ramen, 1)]));
        input["tableSessionId"] = json!(f.s1().id);
        let placed = till.place(input.clone()).await?.order_id()?;

        let revoked = staff.send(REVOKE, json!({ "id": id })).await?;
        assert_eq!(revoked.body["data"]["revokeKey"]["changed"], true, "{}", revoked.body);
        assert_eq!(till.place(input.clone()).await?.code(), "UNAUTHENTICATED", "also for a replay");
        let again = staff.send(REVOKE, json!({ "id": id })).await?.body["data"]["revokeKey"].clone();
        assert_eq!((&again["changed"], &again["key"]["revokedAt"]), (&json!(false), &revoked.body["data"]["revokeKey"]["key"]["revokedAt"]));

        // a key of its own may read the shop's orders, but an order's key answers as it did to whom it belongs
        let (fresh, _) = create(&staff, "INTEGRATOR").await?;
        let replay = two.key(&fresh).place(input).await?;
        assert_eq!((replay.order_id()?, replay.is_replay()?), (placed, true));
        assert_eq!(db.int("SELECT count(*) FROM audit_entries WHERE action = 'createKey'", []).await?, 2);
        assert_eq!(db.int("SELECT count(*) FROM audit_entries WHERE action = 'revokeKey'", []).await?, 1);
        assert_eq!(db.orders(f.s1()).await?, 1);
    }

    async fn staff_may_replace_their_own_key(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let (secret, own) = create(&node.key(&f.staff_key), "STAFF").await?;
        let rotated = node.key(&secret);
        let (next, _) = create(&rotated, "STAFF").await?;
        assert_eq!(rotated.send(REVOKE, json!({ "id": own })).await?.body["data"]["revokeKey"]["changed"], true);
        let ask = |secret: &str| node.key(secret);
        assert_eq!(ask(&secret).send("{ kitchenTickets { id } }", json!({})).await?.code(), "UNAUTHENTICATED");
        assert!(ask(&next).send("{ kitchenTickets { id } }", json!({})).await?.body.get("errors").is_none());
    }

    async fn nobody_but_staff_makes_or_revokes_keys_and_none_of_another_shop(db) {
        let f = &db.fixture;
        let node = db.node().await?;
        let staff = node.key(&f.staff_key);
        let (_, id) = create(&staff, "STAFF").await?;
        for outsider in [node.guest(f.s1()), node.key(&f.integrator_key)] {
            assert_eq!(outsider.send(CREATE, json!({ "kind": "STAFF", "name": "x" })).await?.code(), "FORBIDDEN");
            assert_eq!(outsider.send(REVOKE, json!({ "id": id })).await?.code(), "FORBIDDEN");
        }
        let foreign = db.query("SELECT id FROM api_keys WHERE tenant_id = ?", [f.other_tenant.into()]).await?;
        let foreign: uuid::Uuid = foreign.first().context("no key of the other shop")?.try_get("", "id")?;
        for unknown in [foreign, uuid::Uuid::now_v7()] {
            assert_eq!(staff.send(REVOKE, json!({ "id": unknown })).await?.code(), "NOT_FOUND");
        }
        for name in ["", &"x".repeat(101), "a\u{7}b"] {
            let refused = staff.send(CREATE, json!({ "kind": "STAFF", "name": name })).await?;
            assert_eq!(refused.code(), "BAD_USER_INPUT");
            assert!(refused.error().contains("name"), "{}", refused.error());
        }
        assert_eq!(db.int("SELECT count(*) FROM api_keys WHERE revoked_at_ms IS NOT NULL", []).await?, 0);
        let other = node.guest(f.s2()).place(order(&key(), json!([line(f.tea, 1)]))).await?;
        assert_eq!(other.code(), "PLACED");
    }
}
