use super::*;
use serde_json::json;

fn error(body: &str) -> InputError {
    parse(body.as_bytes(), None)
        .err()
        .unwrap_or_else(|| InputError::new("", "none"))
}

#[test]
fn a_body_is_an_order_without_its_key() {
    let body = json!({
        "checkoutId": "c", "tableSessionId": "t", "note": "n", "confirmDuplicateOf": "o",
        "expectedTotal": { "amountMinor": 9_007_199_254_740_991_i64, "currency": "JPY" },
        "lines": [{ "menuItemId": "m", "quantity": -3, "note": "l",
            "toppings": [{ "toppingId": "a" }, { "toppingId": "b", "quantity": 2 }, { "toppingId": "c", "quantity": null }] }],
    });
    let order = parse(body.to_string().as_bytes(), Some("k")).unwrap_or_default();
    assert_eq!(order.request_id.as_deref(), Some("k"));
    assert_eq!(
        (order.checkout_id.as_deref(), order.note.as_deref()),
        (Some("c"), Some("n"))
    );
    assert_eq!(order.table_session_id.as_deref(), Some("t"));
    assert_eq!(order.confirm_duplicate_of.as_deref(), Some("o"));
    assert_eq!(
        order.expected_total.map(|m| m.amount_minor),
        Some(9_007_199_254_740_991)
    );
    // ranges are the use case's to judge
    assert_eq!(order.lines[0].quantity, -3);
    let portions: Vec<i64> = order.lines[0].toppings.iter().map(|t| t.quantity).collect();
    assert_eq!(portions, [1, 2, 1], "null, missing and default are the same");
}

#[test]
fn what_may_be_left_out_may_be_null() {
    for body in [
        r#"{"lines":[]}"#,
        r#"{"lines":[],"note":null,"checkoutId":null,"tableSessionId":null,"expectedTotal":null,"confirmDuplicateOf":null}"#,
        r#"{"lines":[{"menuItemId":"m","quantity":1,"toppings":null,"note":null}]}"#,
    ] {
        let order = parse(body.as_bytes(), None);
        assert!(
            order.is_ok_and(|o| o.note.is_none() && o.request_id.is_none()),
            "{body}"
        );
    }
}

#[test]
fn an_error_of_form_names_its_field() {
    let line = |fields: &str| format!(r#"{{"lines":[{{"menuItemId":"m","quantity":1}},{{{fields}}}]}}"#);
    for (body, path, words) in [
        (r#"{}"#.to_owned(), "lines", "is required"),
        (r#"{"lines":null}"#.into(), "lines", "must be an array"),
        (r#"{"lines":[7]}"#.into(), "lines[0]", "must be an object"),
        (line(r#""quantity":1"#), "lines[1].menuItemId", "is required"),
        (
            line(r#""menuItemId":7,"quantity":1"#),
            "lines[1].menuItemId",
            "must be a text",
        ),
        (
            line(r#""menuItemId":"m","quantity":"1""#),
            "lines[1].quantity",
            "must be an integer",
        ),
        (
            line(r#""menuItemId":"m","quantity":1.5"#),
            "lines[1].quantity",
            "must be an integer",
        ),
        (
            line(r#""menuItemId":"m","quantity":1.0"#),
            "lines[1].quantity",
            "must be an integer",
        ),
        (
            line(r#""menuItemId":"m","quantity":1e400"#),
            "body",
            "must be one JSON object",
        ),
        (
            line(r#""menuItemId":"m","quantity":18446744073709551615"#),
            "lines[1].quantity",
            "must be an integer",
        ),
        (
            line(r#""menuItemId":"m","quantity":null"#),
            "lines[1].quantity",
            "must be an integer",
        ),
        (
            line(r#""menuItemId":"m","quantity":1,"toppings":[{"toppingId":"t","quantity":true}]"#),
            "lines[1].toppings[0].quantity",
            "must be an integer",
        ),
        (
            line(r#""menuItemId":"m","quantity":1,"price":1"#),
            "lines[1].price",
            "known are menuItemId, quantity",
        ),
        (
            line(r#""quantity":1,"quantity":1"#),
            "lines[1].quantity",
            "must be there once",
        ),
        (
            r#"{"lines":[],"expectedTotal":{"amountMinor":"1","currency":"JPY"}}"#.into(),
            "expectedTotal.amountMinor",
            "must be an integer",
        ),
        (
            r#"{"lines":[],"requestId":"k"}"#.into(),
            "requestId",
            "Idempotency-Key header",
        ),
        (
            r#"{"lines":[],"tenantId":"k"}"#.into(),
            "tenantId",
            "known are checkoutId",
        ),
        ("[]".into(), "body", "must be an object"),
        ("7".into(), "body", "must be an object"),
        ("".into(), "body", "must be one JSON object"),
        (r#"{"lines":["#.into(), "body", "must be one JSON object"),
        (r#"{"lines":[]}{}"#.into(), "body", "must be one JSON object"),
        (
            "{\"lines\":[],\"note\":\"\u{0}\"}".into(),
            "body",
            "must be one JSON object",
        ),
    ] {
        let error = error(&body);
        assert_eq!(error.path, path, "{body}: {error}");
        assert!(error.message.contains(words), "{body}: {error}");
        assert!(
            !error.message.contains("i64") && !error.message.contains("struct"),
            "{error}"
        );
    }
}

#[test]
fn nothing_long_is_echoed() {
    let long = "食".repeat(10_000);
    for body in [
        json!({ "lines": [], long.as_str(): 1 }),
        json!({ "lines": [{ "menuItemId": "m", "quantity": long }] }),
        json!({ "lines": long }),
    ] {
        let error = error(&body.to_string()).to_string();
        assert!(error.len() < 400, "{} bytes", error.len());
    }
}
