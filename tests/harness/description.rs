//! What `/openapi.json` says. Every answer of the REST door that a test reads through here is held against it: its status, its
//! media type, its headers, and its body against the schema.

use crate::client::{Client, Reply};
use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};

/// The path of the operation that places.
pub const ORDERS: &str = "/v1/orders";
/// The path of the operation that tells what became of a key.
pub const PLACEMENT: &str = "/v1/placements/{requestId}";

/// A node's description of its REST door.
pub struct Description(pub Value);

impl Description {
    /// Reads it, as any tool would: without credentials.
    pub async fn read(anybody: &Client) -> Result<Self> {
        let reply = Reply::to(anybody.request(Method::GET, "/openapi.json")).await?;
        ensure!(reply.status == 200, "{}", reply.body);
        Ok(Self(reply.body))
    }

    /// Places an order.
    pub async fn post(&self, client: &Client, key: &str, body: Value) -> Result<Reply> {
        self.held("post", ORDERS, client.post_order(key, body).await?)
    }

    /// Asks what became of a key.
    pub async fn placement(&self, client: &Client, key: &str) -> Result<Reply> {
        self.held("get", PLACEMENT, client.placement(key).await?)
    }

    /// Holds an answer against what is described.
    ///
    /// *Errors*: it is another one.
    pub fn held(&self, method: &str, path: &str, reply: Reply) -> Result<Reply> {
        let shown = format!("{method} {path} {}: {}", reply.status, reply.body);
        let described = &self.0["paths"][path][method]["responses"][reply.status.to_string()];
        ensure!(described.is_object(), "the status is not described: {shown}");
        let content_type = reply.header("content-type").split(';').next().unwrap_or_default();
        let schema = &described["content"][content_type]["schema"];
        ensure!(schema.is_object(), "{content_type} is not described: {shown}");
        self.check(schema, &reply.body).context(shown.clone())?;
        let headers = described["headers"].as_object();
        let is_described = |name: &str| headers.is_some_and(|h| h.keys().any(|key| key.eq_ignore_ascii_case(name)));
        for name in [
            "location",
            "retry-after",
            "www-authenticate",
            "x-masterorder-idempotent-replay",
        ] {
            ensure!(
                reply.header(name).is_empty() || is_described(name),
                "{name} is not described: {shown}"
            );
        }
        if content_type == "application/problem+json" {
            self.is_a_whole_problem(&reply).context(shown)?;
        }
        Ok(reply)
    }

    /// Holds a value against a schema by its name.
    ///
    /// *Errors*: it does not fit.
    pub fn fits(&self, schema: &str, value: &Value) -> Result<()> {
        self.check(&json!({ "$ref": format!("#/components/schemas/{schema}") }), value)
    }

    /// What the schema can not say: members and headers that repeat each other.
    fn is_a_whole_problem(&self, reply: &Reply) -> Result<()> {
        let body = &reply.body;
        ensure!(body["status"] == reply.status, "the status differs");
        let seconds = body["retryAfterMs"]
            .as_u64()
            .map(|ms| ms.div_ceil(1_000).to_string())
            .unwrap_or_default();
        ensure!(reply.header("retry-after") == seconds, "Retry-After differs");
        ensure!(reply.header("cache-control") == "no-store", "it may be cached");
        let leads_to = body["type"].as_str().and_then(|t| t.split_once('#'));
        let (document, pointer) = leads_to.context("the type leads nowhere")?;
        let example = self.0.pointer(pointer).context("the type leads nowhere")?;
        ensure!(
            document == "/openapi.json" && example["value"]["code"] == body["code"],
            "the type is another code's"
        );
        Ok(())
    }

    fn check(&self, schema: &Value, value: &Value) -> Result<()> {
        let whole = json!({ "allOf": [schema], "components": self.0["components"] });
        let validator = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&whole)
            .map_err(|error| anyhow::anyhow!("no schema: {error}"))?;
        let errors: Vec<String> = validator
            .iter_errors(value)
            .map(|e| format!("{e} at {}", e.instance_path()))
            .collect();
        ensure!(errors.is_empty(), "{value} does not fit: {errors:#?}");
        Ok(())
    }
}
