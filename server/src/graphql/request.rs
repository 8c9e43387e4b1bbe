//! The body of a request: one JSON object. Batches are refused, because they would multiply every limit.

use crate::ordering::command::InputError;
use async_graphql::{Request, Variables};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::HashMap;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    query: String,
    #[serde(default)]
    variables: Variables,
    operation_name: Option<String>,
    /// Read for its shape only: there is no protocol extension that the server knows.
    #[serde(rename = "extensions")]
    _extensions: Option<HashMap<String, IgnoredAny>>,
}

/// Reads a body.
///
/// *Errors*: anything but a JSON object with `query`; the message says what was expected where.
pub fn parse(body: &[u8]) -> Result<Request, InputError> {
    match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => {}
        Some(b'[') => {
            return Err(refused("batches are not supported, send one operation per request"));
        }
        _ => return Err(refused("must be a JSON object")),
    }
    let body: Body = serde_json::from_slice(body).map_err(|error| {
        refused(format!(
            "must be a JSON object with query (string), variables (object or null), operationName (string or null) \
             and extensions (object or null): {error}"
        ))
    })?;
    let mut request = Request::new(body.query).variables(body.variables);
    request.operation_name = body.operation_name;
    Ok(request)
}

fn refused(message: impl Into<String>) -> InputError {
    InputError::new("body", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(body: &str) -> String {
        parse(body.as_bytes())
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn a_body_is_one_object_with_a_query() {
        let body = r#" {"query":"{a}","variables":{"x":1},"operationName":"A","extensions":{}} "#;
        let request = parse(body.as_bytes()).ok();
        assert_eq!(request.as_ref().map(|r| r.query.as_str()), Some("{a}"));
        assert_eq!(request.as_ref().map(|r| r.variables.len()), Some(1));
        assert_eq!(request.and_then(|r| r.operation_name).as_deref(), Some("A"));
        let nulls = r#"{"query":"{a}","variables":null,"operationName":null,"extensions":null,"id":7}"#;
        assert!(parse(nulls.as_bytes()).is_ok());
    }

    #[test]
    fn a_batch_is_refused_as_what_it_is() {
        assert!(error(r#"[{"query":"{a}"}]"#).contains("batches are not supported"));
        assert!(error(r#"["{a}",null,null,null]"#).contains("batches are not supported"));
    }

    #[test]
    fn other_shapes_are_refused() {
        for body in [
            "",
            "7",
            r#"{"qeury":"{a}"}"#,
            r#"{"query":null}"#,
            r#"{"query":["{a}"]}"#,
            r#"{"query":"{a}","query":"{b}"}"#,
            r#"{"query":"{a}","variables":[]}"#,
            r#"{"query":"{a}","variables":"x"}"#,
            r#"{"query":"{a}","operationName":7}"#,
            r#"{"query":"{a}","extensions":false}"#,
            r#"{"query":"{a}"#,
        ] {
            assert!(error(body).starts_with("body: must be a JSON object"), "{body}");
        }
    }
}
