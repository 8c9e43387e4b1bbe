//! The doors: what HTTP and GraphQL say when a request does not fit, and that nothing but a POST of JSON ever places.
//!
//! Without the 405 a link places an order; without the check of the content type another site's form does; without the
//! bounds one document keeps the server busy; without the last catch a panic tells the world where it happened.

use anyhow::Result;
use harness::client::{K1, PLACE, key, line, order};
use harness::{Client, Process, eventually, on_both_databases, process};
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

const BOTH: &str = "mutation Place($input: PlaceOrderInput!) { placeOrder(input: $input) { allowed } }
    query Shop { shop { id } }";

const OUR_HEADERS: [&str; 5] = [
    "content-type",
    "idempotency-key",
    "x-session-id",
    "x-session-pin",
    "x-masterorder-client-id",
];

async fn read(request: RequestBuilder) -> Result<(u16, HeaderMap, String)> {
    let answer = request.send().await?;
    Ok((answer.status().as_u16(), answer.headers().clone(), answer.text().await?))
}

fn header(headers: &HeaderMap, name: &str) -> String {
    headers
        .get(name)
        .and_then(|v| v.to_str().ok())
        .unwrap_or_default()
        .to_owned()
}

/// A POST with a content type and what the caller takes.
fn posted(client: &Client, body: String, content_type: &str, accept: &str) -> RequestBuilder {
    let request = client
        .request(Method::POST, "/graphql")
        .header("content-type", content_type);
    request.header("accept", accept).body(body)
}

/// The endpoint with an operation in its address.
fn address(parameters: &[(&str, &str)]) -> String {
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(name, text)| format!("{name}={}", encoded(text)))
        .collect();
    format!("/graphql?{}", parameters.join("&"))
}

/// The code of an answer that holds exactly one error with its extensions, and no data.
fn code(body: &str) -> Result<String> {
    let body: Value = serde_json::from_str(body)?;
    let errors = body["errors"].as_array().cloned().unwrap_or_default();
    anyhow::ensure!(errors.len() == 1 && body["data"].is_null(), "{body}");
    anyhow::ensure!(errors[0]["message"].as_str().is_some_and(|m| !m.is_empty()), "{body}");
    anyhow::ensure!(errors[0]["extensions"]["status"].is_u64(), "{body}");
    Ok(errors[0]["extensions"]["code"].as_str().unwrap_or_default().to_owned())
}

on_both_databases! {
    /// AC-175.
    async fn nothing_but_post_reaches_an_operation(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let before = db.census().await?;
        let variables = json!({ "input": order(K1, json!([line(f.ramen, 1)])) }).to_string();
        for method in [Method::GET, Method::HEAD, Method::PUT, Method::PATCH, Method::DELETE] {
            for parameters in [
                vec![("query", PLACE), ("variables", &variables)],
                vec![("query", BOTH), ("operationName", "Place"), ("variables", &variables)],
                vec![("query", BOTH), ("operationName", "Shop"), ("variables", "{}")],
            ] {
                let request = guest.request(method.clone(), &address(&parameters));
                let (status, headers, body) = read(request).await?;
                assert_eq!((status, header(&headers, "allow").as_str()), (405, "POST"), "{method} {body}");
                if method != Method::HEAD {
                    assert_eq!(code(&body)?, "BAD_USER_INPUT");
                }
            }
        }
        // parameters of the address are no operation for a POST either
        let request = guest.request(Method::POST, &address(&[("query", PLACE), ("variables", &variables)]));
        assert_eq!(read(request).await?.0, 415);
        assert_eq!(db.census().await?, before);
        let body =
            json!({ "query": BOTH, "operationName": "Place", "variables": serde_json::from_str::<Value>(&variables)? });
        assert_eq!(guest.post(body.to_string()).await?.body["data"]["placeOrder"]["allowed"], true);
    }

    /// Whatever stands in the address: the page of a browser runs nothing by itself.
    async fn a_browser_gets_the_playground_and_no_operation(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let before = db.census().await?;
        let variables = json!({ "input": order(K1, json!([line(f.ramen, 1)])) }).to_string();
        for path in ["/graphql", &address(&[("query", PLACE), ("variables", &variables)])] {
            let request = guest.request(Method::GET, path).header("accept", "text/html,*/*;q=0.8");
            let (status, headers, page) = read(request).await?;
            // 404 with a page that says how to get it, where the npm packages are not installed
            assert!([200, 404].contains(&status) && page.starts_with("<!doctype html>"), "{status} {page}");
            let policy = header(&headers, "content-security-policy");
            assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
            assert!(!page.contains(K1), "{page}");
        }
        let request = guest.request(Method::GET, "/graphql").header("accept", "application/json, */*");
        assert_eq!(read(request).await?.0, 405);
        assert_eq!(db.census().await?, before);
    }

    /// What a form of another site can send without asking is not JSON.
    async fn only_json_in_utf_8_is_taken_in(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let body =
            json!({ "query": PLACE, "variables": { "input": order(K1, json!([line(f.ramen, 1)])) } }).to_string();
        let before = db.census().await?;
        for content_type in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/graphql",
            "application/jsonx",
            "text/plain; application/json",
            "application/json; charset=shift_jis",
            "",
        ] {
            let (status, _, answer) = read(posted(&guest, body.clone(), content_type, "*/*")).await?;
            assert_eq!((status, code(&answer)?.as_str()), (415, "BAD_USER_INPUT"), "{content_type}: {answer}");
        }
        assert_eq!(read(guest.request(Method::POST, "/graphql").body(body.clone())).await?.0, 415);
        assert_eq!(db.census().await?, before);
        for content_type in
            ["application/json", "Application/JSON;charset=UTF-8", "application/json; charset=\"utf-8\""]
        {
            let (status, _, answer) = read(posted(&guest, body.clone(), content_type, "*/*")).await?;
            assert!(status == 200 && answer.contains("\"allowed\":true"), "{content_type}: {answer}");
        }
        assert_eq!(db.all_orders().await?, 1);
    }

    async fn a_body_that_is_no_request_is_refused(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let place =
            json!({ "query": PLACE, "variables": { "input": order(&key(), json!([line(f.ramen, 1)])) } }).to_string();
        let before = db.census().await?;
        for (body, words) in [
            (format!("[{place}]"), "batches are not supported"),
            (format!("[{place},{place}]"), "batches are not supported"),
            (place[..place.len() - 1].to_owned(), "JSON object"),
            (format!("{place}{place}"), "JSON object"),
            (String::new(), "JSON object"),
            ("null".into(), "JSON object"),
            (r#""{ shop { id } }""#.into(), "JSON object"),
            (r#"{"query":7}"#.into(), "query (string)"),
            (r#"{"variables":{}}"#.into(), "query (string)"),
            (r#"{"query":"{ shop { id } }","variables":[1]}"#.into(), "variables"),
            ("{\"query\":\"{ shop { id } }\u{0}\"}".into(), "JSON object"),
        ] {
            let (status, _, answer) = read(posted(&guest, body.clone(), "application/json", "*/*")).await?;
            assert_eq!((status, code(&answer)?.as_str()), (400, "BAD_USER_INPUT"), "{body}: {answer}");
            assert!(answer.contains(words), "{body}: {answer}");
        }
        assert_eq!(db.census().await?, before);
    }

    /// GraphQL over HTTP: the media type of the answer is the caller's choice, and decides which status a bad document has.
    async fn the_answer_is_written_as_the_caller_takes_it(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let (good, bad) = (json!({ "query": "{ shop { id } }" }), json!({ "query": "{ shop { nonsense } }" }));
        const GRAPHQL: &str = "application/graphql-response+json";
        for (accept, media, bad_status) in [
            ("", "application/json", 200),
            ("*/*", "application/json", 200),
            ("application/json", "application/json", 200),
            (GRAPHQL, GRAPHQL, 400),
            ("application/graphql-response+json, application/json;q=0.9", GRAPHQL, 400),
            ("application/graphql-response+json;q=0.1, application/json", "application/json", 200),
        ] {
            let (status, headers, _) = read(posted(&guest, good.to_string(), "application/json", accept)).await?;
            assert_eq!(status, 200, "{accept}");
            assert_eq!(header(&headers, "content-type"), format!("{media}; charset=utf-8"), "{accept}");
            assert_eq!(header(&headers, "cache-control"), "no-store");
            let (status, headers, body) = read(posted(&guest, bad.to_string(), "application/json", accept)).await?;
            assert_eq!((status, code(&body)?.as_str()), (bad_status, "BAD_USER_INPUT"), "{accept}: {body}");
            assert!(!body.contains("\"data\""), "{body}");
            assert_eq!(header(&headers, "content-type"), format!("{media}; charset=utf-8"), "{accept}");
        }
        for accept in ["text/html", "application/xml", "application/json;q=0"] {
            let (status, _, body) = read(posted(&guest, good.to_string(), "application/json", accept)).await?;
            assert_eq!((status, code(&body)?.as_str()), (406, "BAD_USER_INPUT"), "{accept}: {body}");
        }
    }

    /// Design section 3: 200 once executed, whatever the result says; an order that can not be asked for is bad input.
    async fn an_operation_that_ran_is_200_and_one_that_did_not_is_bad_input(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1()).with("accept", "application/graphql-response+json");
        db.set_stock(f.beer, 0).await?;
        let sold_out = guest.place(order(&key(), json!([line(f.beer, 1)]))).await?;
        assert_eq!(
            (sold_out.status, sold_out.code().as_str(), &sold_out.result()?["status"]),
            (200, "SOLD_OUT", &json!(409))
        );
        let forbidden = guest.send("{ kitchenTickets { id } }", json!({})).await?;
        assert_eq!((forbidden.status, forbidden.code().as_str()), (200, "FORBIDDEN"));
        assert_eq!(forbidden.body["data"], json!(null));
        let beside = guest.send("{ shop { id } order(id: \"x\") { id } }", json!({})).await?;
        assert_eq!((beside.status, beside.code().as_str()), (200, "BAD_USER_INPUT"));
        assert!(
            beside.body["data"]["shop"]["id"].is_string() && beside.body["data"]["order"].is_null(),
            "{}",
            beside.body
        );
        let before = db.census().await?;
        for (document, variables) in [
            ("{", json!({})),
            ("{ shop { nonsense } }", json!({})),
            ("{ shop }", json!({})),
            ("{ order { id } }", json!({})),
            ("query { shop { id } } query { shop { id } }", json!({})),
            ("query($first: Int) { orders(first: $first) { nodes { id } } }", json!({ "first": "many" })),
            ("mutation($input: PlaceOrderInput!) { placeOrder(input: $input) { nonsense } }", json!({})),
            (PLACE, json!({})),
            (PLACE, json!({ "input": null })),
            (PLACE, json!({ "input": "ramen" })),
            (PLACE, json!({ "input": { "requestId": K1 } })),
            (PLACE, json!({ "input": { "requestId": 7, "lines": [] } })),
            (PLACE, json!({ "input": order(K1, json!([{ "menuItemId": f.ramen }])) })),
            (PLACE, json!({ "input": order(K1, json!([{ "menuItemId": f.ramen, "quantity": "1" }])) })),
            (PLACE, json!({ "input": order(K1, json!([{ "menuItemId": f.ramen, "quantity": 1.5 }])) })),
            (PLACE, json!({ "input": order(K1, json!([{ "menuItemId": f.ramen, "quantity": 1, "price": 1 }])) })),
            (
                PLACE,
                json!({ "input": { "requestId": K1, "lines": [{ "menuItemId": f.ramen, "quantity": 1 }], "note": 7 } }),
            ),
        ] {
            let reply = guest.send(document, variables.clone()).await?;
            assert_eq!(
                (reply.status, reply.code().as_str()),
                (400, "BAD_USER_INPUT"),
                "{document} {variables}: {}",
                reply.body
            );
            assert!(reply.body.get("data").is_none(), "{}", reply.body);
        }
        assert_eq!(db.census().await?, before);
    }

    async fn health_tells_the_process_from_the_database(db) {
        let node = db.node().await?;
        let anybody = node.anonymous();
        for path in ["/healthz", "/readyz"] {
            assert_eq!(read(anybody.request(Method::GET, path)).await?.0, 200, "{path}");
        }
        node.app.db.clone().close().await;
        let (status, _, text) = read(anybody.request(Method::GET, "/readyz")).await?;
        assert_eq!(status, 503, "{text}");
        assert!(!text.contains(&db.url), "{text}");
        assert_eq!(read(anybody.request(Method::GET, "/healthz")).await?.0, 200);
        let reply = node.guest(db.fixture.s1()).send("{ shop { id } }", json!({})).await?;
        assert!(reply.status >= 500 && ["UNAVAILABLE", "INTERNAL"].contains(&reply.code().as_str()), "{}", reply.body);
    }

    async fn the_schema_is_the_same_at_every_door(db) {
        let node = db.node().await?;
        let anybody = node.anonymous();
        let (status, headers, served) = read(anybody.request(Method::GET, "/schema.graphql")).await?;
        assert_eq!((status, header(&headers, "content-type").as_str()), (200, "text/plain; charset=utf-8"));
        let (exit, printed, _) = process::run(&["schema"]).await?;
        assert_eq!((exit, &printed), (Some(0), &served));
        // tools read it without credentials
        let query = "{ __schema { queryType { name } mutationType { name } types { name kind
            fields { name type { name kind ofType { name } } args { name } }
            inputFields { name } enumValues { name } } } }";
        let reply = anybody.send(query, json!({})).await?;
        assert_eq!((reply.status, reply.body.get("errors")), (200, None), "{}", reply.body);
        let types = reply.body["data"]["__schema"]["types"].as_array().cloned().unwrap_or_default();
        for name in ["PlaceOrderInput", "OrderPlaced", "PlacementConflict", "KitchenTicket", "PlacementProblem"] {
            assert!(types.iter().any(|t| t["name"] == name) && served.contains(name), "{name}");
        }
        assert_eq!(read(anybody.request(Method::GET, "/nowhere")).await?.0, 404);
    }

    async fn a_panic_is_an_internal_error_that_tells_nothing_and_leaves_the_key_usable(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let input = order(&key(), json!([line(f.ramen, 1)]));
        let before = db.census().await?;
        for step in ["claim", "lock", "write_orders", "complete"] {
            node.arm(&format!("{step}=panic"));
            let reply = guest.with("accept-language", "en").place(input.clone()).await?;
            assert_eq!((reply.status, reply.code().as_str()), (200, "INTERNAL"), "{step}: {}", reply.body);
            assert_eq!(reply.body["errors"][0]["extensions"]["status"], 500);
            assert_eq!(reply.error(), "Something went wrong. Please try again.");
            let text = reply.body.to_string();
            assert!(!text.contains("panic") && !text.contains(step) && !text.contains(".rs"), "{text}");
            // the transaction ends with its connection's return, after the answer
            eventually("the transaction is rolled back", async || Ok(db.census().await? == before)).await?;
        }
        guest.place(input).await?.order_id()?;
        assert_eq!((db.all_orders().await?, db.stock(f.ramen).await?), (1, 9));
    }

    /// AC-171, small: each is refused for what it is, and the server serves on.
    async fn a_document_that_burns_the_cpu_is_refused(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let guest = node.guest(f.s1());
        let aliases: String = (0..5_000).map(|n| format!("a{n}: __typename ")).collect();
        let doubling: String =
            (0..30).map(|n| format!("fragment F{n} on Query {{ ...F{m} ...F{m} }} ", m = n + 1)).collect();
        // 10,000 directives and a document of 2 MB are too long to be read at all
        for bytes in [170_000, 2 * 1024 * 1024, 1 << 40] {
            let answer = guest.begin_to_send(bytes, 64 * 1024 + 1).await?.to_lowercase();
            assert!(answer.starts_with("http/1.1 413 ") && answer.contains("\r\nconnection: close\r\n"), "{answer}");
        }
        for (document, status) in [
            (format!("{{ __typename {} }}", "@skip(if:false)".repeat(3_000)), 400),
            (format!("{{ {} }}", "__typename ".repeat(5_500)), 400),
            (format!("{{ {} }}", &aliases[..60_000]), 400),
            (format!("{}{}", "{a".repeat(10_000), "}".repeat(10_000)), 400),
            (format!("{{ a(x: {}{}) }}", "[".repeat(20_000), "]".repeat(20_000)), 400),
            (format!("{{ ...F0 }} {doubling} fragment F30 on Query {{ __typename }}"), 400),
            ("{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }".into(), 400),
            (
                format!(
                    "{{ orders(first: 100) {{ nodes {{ {} }} }} }}",
                    "receipt { lines { toppings { name } } } ".repeat(30)
                ),
                400,
            ),
            ("{ orders(first: 1000000) { nodes { lines { toppings { name } } } } }".into(), 200),
        ] {
            let shown = &document[..document.len().min(80)];
            let body = json!({ "query": document }).to_string();
            let accept = "application/graphql-response+json";
            let (answered, _, text) = read(posted(&guest, body, "application/json", accept)).await?;
            assert_eq!((answered, code(&text)?.as_str()), (status, "BAD_USER_INPUT"), "{shown}: {text}");
            let (healthy, _, _) = read(guest.request(Method::GET, "/healthz")).await?;
            assert_eq!(healthy, 200, "{shown}");
        }
        guest.place(order(&key(), json!([line(f.ramen, 1)]))).await?.order_id()?;
    }

    async fn no_page_of_another_origin_is_allowed_unless_it_is_named(db) {
        let (node, f) = (db.node().await?, &db.fixture);
        let asked = |client: &Client, origin: &str| {
            client
                .request(Method::OPTIONS, "/graphql")
                .header("origin", origin)
                .header("access-control-request-method", "POST")
                .header("access-control-request-headers", OUR_HEADERS.join(","))
        };
        let (_, headers, _) = read(asked(&node.anonymous(), "https://evil.example")).await?;
        assert_eq!(header(&headers, "access-control-allow-origin"), "");
        let own = Process::start(db, &[("MASTERORDER_ALLOW_ORIGIN", "https://shop.example")]).await?;
        let guest = own.guest(f.s1());
        let (_, headers, _) = read(asked(&guest, "https://evil.example")).await?;
        assert_eq!(header(&headers, "access-control-allow-origin"), "");
        let (status, headers, _) = read(asked(&guest, "https://shop.example")).await?;
        assert_eq!((status, header(&headers, "access-control-allow-origin").as_str()), (200, "https://shop.example"));
        let allowed = header(&headers, "access-control-allow-headers").to_lowercase();
        for name in OUR_HEADERS {
            assert!(allowed.contains(name), "{name}: {allowed}");
        }
        assert!(header(&headers, "vary").to_lowercase().contains("origin"));
        let answer =
            guest.with("origin", "https://shop.example").place(order(&key(), json!([line(f.ramen, 1)]))).await?;
        let exposed = header(&answer.headers, "access-control-expose-headers").to_lowercase();
        assert!(exposed.contains("x-masterorder-idempotent-replay") && exposed.contains("retry-after"), "{exposed}");
    }
}
