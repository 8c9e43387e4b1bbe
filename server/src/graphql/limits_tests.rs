use super::*;
use async_graphql::parser::parse_query;

fn error(document: &str) -> String {
    match parse_query(document) {
        Ok(parsed) => check(&parsed).err().map(|error| error.0).unwrap_or_default(),
        Err(error) => panic!("{document}: {error}"),
    }
}

fn fits(document: &str) {
    assert_eq!(error(document), "", "{document}");
}

fn many(n: usize, text: &str) -> String {
    (0..n).map(|i| text.replace('#', &i.to_string())).collect()
}

#[test]
fn root_fields_are_counted_through_fragments_for_each_operation() {
    fits(&format!("{{ {} }}", many(20, "f# ")));
    assert!(error(&format!("{{ {} }}", many(21, "f# "))).contains("20 fields at the root"));
    let spread = format!(
        "{{ ...F ... {{ ...F }} a }} fragment F on Query {{ {} }}",
        many(10, "f# ")
    );
    assert!(error(&spread).contains("20 fields at the root"));
    fits(&format!("query A {{ {0} }} query B {{ {0} }}", many(20, "f# ")));
    fits(&format!("{{ a {{ {} }} }}", many(21, "f# ")));
}

#[test]
fn aliases_are_counted_everywhere() {
    fits(&format!("{{ a {{ {} }} }}", many(30, "f#: f ")));
    assert!(error(&format!("{{ a {{ {} }} }}", many(31, "f#: f "))).contains("30 aliases"));
    let spread = format!(
        "{{ ...F a {{ ...F }} }} fragment F on Query {{ {} }}",
        many(16, "f#: f ")
    );
    assert!(error(&spread).contains("30 aliases"));
}

#[test]
fn directives_are_counted_everywhere() {
    let skip = "@skip(if: false) ";
    fits(&format!("{{ a {} }}", skip.repeat(50)));
    assert!(error(&format!("{{ a {} }}", skip.repeat(51))).contains("50 directives"));
    assert!(error(&format!("query A {} {{ a }}", skip.repeat(51))).contains("50 directives"));
    assert!(error(&format!("{{ ... {} {{ a }} }}", skip.repeat(51))).contains("50 directives"));
    assert!(error(&format!("{{ ...F {} }} fragment F on Query {{ a }}", skip.repeat(51))).contains("50"));
    assert!(error(&format!("{{ ...F }} fragment F on Query {} {{ a }}", skip.repeat(51))).contains("50"));
}

#[test]
fn selections_are_counted_with_fragments_spread_out() {
    fits(&format!("{{ a {{ {} }} }}", "f ".repeat(MAX_SELECTIONS - 1)));
    assert!(error(&format!("{{ a {{ {} }} }}", "f ".repeat(MAX_SELECTIONS))).contains("2000 fields"));
    // 2^25 fields in a page of text
    let doubling: String = (0..25)
        .map(|i| format!("fragment F{i} on T {{ ...F{0} ...F{0} }} ", i + 1))
        .collect();
    let error = error(&format!("{{ a {{ ...F0 }} }} {doubling} fragment F25 on T {{ a }}"));
    assert!(error.contains("2000 fields"), "{error}");
}

#[test]
fn fields_nest_so_deep_and_no_deeper() {
    let nested = |n: usize| format!("{}a{}", "{ a ".repeat(n - 1) + "{ ", " }".repeat(n));
    fits(&nested(MAX_DEPTH));
    assert!(error(&nested(MAX_DEPTH + 1)).contains("at most 12 deep"));
    let hidden = format!("{{ a {{ ...F }} }} fragment F on T {}", nested(MAX_DEPTH));
    assert!(error(&hidden).contains("at most 12 deep"));
}

#[test]
fn a_circle_of_fragments_is_stopped() {
    for circle in [
        "{ ...F } fragment F on T { ...F }",
        "{ ...F } fragment F on T { ...G } fragment G on T { ...F }",
        "{ ...F } fragment F on T { ... { ... { ...F } } }",
    ] {
        assert!(error(circle).contains("no fragment may contain itself"), "{circle}");
    }
}

#[test]
fn one_document_places_one_order() {
    fits("mutation { placeOrder { a } }");
    fits("mutation { placeOrder { a } cancelOrder { a } }");
    fits("{ placeOrder { a } b: placeOrder { a } }");
    fits("mutation { a { placeOrder placeOrder } }");
    for twice in [
        "mutation { a: placeOrder { a } b: placeOrder { a } }",
        "mutation { placeOrder { a } ... { placeOrder { a } } }",
        "mutation { ...F placeOrder { a } } fragment F on Mutation { placeOrder { a } }",
        "mutation { ...F ...F } fragment F on Mutation { ... on Mutation { placeOrder { a } } }",
        "mutation A { placeOrder { a } } mutation B { placeOrder { a } }",
        "mutation { a: placeOrder { a } b: placeOrder @skip(if: true) { a } }",
    ] {
        assert!(error(twice).contains("at most 1 order to place"), "{twice}");
    }
}

#[test]
fn subscriptions_are_refused() {
    assert!(error("subscription { a }").contains("served over /graphql/ws"));
    assert!(error("query A { a } subscription B { a }").contains("served over /graphql/ws"));
}

#[test]
fn an_introspection_may_be_deep_but_not_wide() {
    let of_type = |n: usize| "ofType { ".repeat(n) + "name" + &" }".repeat(n);
    let introspection = format!(
        "{{ __schema {{ types {{ fields {{ args {{ type {{ {} }} }} }} inputFields {{ name }} }} }} }}",
        of_type(9)
    );
    fits(&introspection);
    let circle = "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }";
    assert!(error(circle).contains("lists inside one another"));
    let other = "{ __type(name: \"Order\") { fields { type { interfaces { possibleTypes { name } } } } } }";
    assert!(error(other).contains("lists inside one another"));
}
