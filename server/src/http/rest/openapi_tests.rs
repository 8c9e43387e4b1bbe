use super::*;
use crate::http::rest::operations;
use serde_json::Value;
use std::collections::BTreeSet;

fn described() -> Value {
    serde_json::from_slice(&JSON).unwrap_or_default()
}

#[test]
fn what_is_served_is_described_and_nothing_else() {
    let paths = described()["paths"].as_object().cloned().unwrap_or_default();
    let described: BTreeSet<&str> = paths.keys().map(String::as_str).collect();
    let served: BTreeSet<&str> = operations().iter().map(|(path, _)| *path).collect();
    assert_eq!(described, served);
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|v| walk(v, found));
            }
            Value::Array(values) => values.iter().for_each(|v| walk(v, found)),
            _ => {}
        }
    }
    let described = described();
    let mut references = Vec::new();
    walk(&described, &mut references);
    assert!(references.len() > 20);
    for reference in references {
        let found = described.pointer(reference.trim_start_matches('#'));
        assert!(found.is_some(), "{reference}");
    }
}

#[test]
fn every_code_has_an_example_at_its_type() {
    let described = described();
    for code in Code::ALL {
        let problem = samples::problem(*code);
        assert_eq!(problem.code, *code);
        let pointer = problem.kind.split_once('#').map_or("", |(_, pointer)| pointer);
        let example = described.pointer(pointer).cloned().unwrap_or_default();
        assert_eq!(example["value"]["code"], code.as_str());
        assert_eq!(example["value"]["type"], problem.kind);
    }
}

#[test]
fn every_business_code_is_described_under_its_status() {
    let responses = described()["paths"]["/v1/orders"]["post"]["responses"].clone();
    for code in Code::ALL.iter().filter(|code| code.kind() != Kind::Failure) {
        let examples = &responses[code.status().to_string()]["content"][MEDIA]["examples"];
        assert!(examples[code.as_str()]["$ref"].is_string(), "{code}: {responses}");
    }
    for status in ["201", "400", "401", "408", "413", "415", "500", "503"] {
        assert!(responses[status].is_object(), "{status}");
    }
    for status in ["409", "429", "503"] {
        assert!(responses[status]["headers"]["Retry-After"].is_object(), "{status}");
    }
}

#[test]
fn the_examples_are_real() {
    let described = described();
    let (place, ask) = (
        &described["paths"]["/v1/orders"]["post"],
        &described["paths"]["/v1/placements/{requestId}"]["get"],
    );
    let body = &place["requestBody"]["content"]["application/json"]["example"];
    assert!(input::parse(body.to_string().as_bytes(), None).is_ok(), "{body}");
    let placed = &place["responses"]["201"]["content"]["application/json"]["example"];
    assert_eq!(placed["order"]["lines"][0]["name"], "Ramen");
    let status = &ask["responses"]["200"]["content"]["application/json"]["example"];
    assert_eq!(
        (&status["state"], &status["order"]["id"]),
        (&"PLACED".into(), &placed["orderId"])
    );
    for status in [408, 413, 415] {
        let example = &place["responses"][status.to_string()]["content"][MEDIA]["example"];
        assert_eq!(example["status"], status);
    }
}
