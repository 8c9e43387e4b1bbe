use super::*;
use async_graphql::parser::parse_query;
use async_graphql::parser::types::OperationType;
use async_graphql::{Request, Variables};
use std::collections::BTreeSet;

/// What GraphiQL sends, as graphql-js 16 writes it.
fn introspection() -> String {
    let type_ref = "kind name ofType { ".repeat(9) + "kind name" + &" }".repeat(9);
    format!(
        "query IntrospectionQuery {{ __schema {{ queryType {{ name kind }} mutationType {{ name kind }} \
         subscriptionType {{ name kind }} types {{ ...FullType }} \
         directives {{ name description locations args {{ ...InputValue }} }} }} }} \
         fragment FullType on __Type {{ kind name description \
         fields(includeDeprecated: true) {{ name description args {{ ...InputValue }} type {{ ...TypeRef }} \
         isDeprecated deprecationReason }} inputFields {{ ...InputValue }} interfaces {{ ...TypeRef }} \
         enumValues(includeDeprecated: true) {{ name description isDeprecated deprecationReason }} \
         possibleTypes {{ ...TypeRef }} }} \
         fragment InputValue on __InputValue {{ name description type {{ ...TypeRef }} defaultValue }} \
         fragment TypeRef on __Type {{ {type_ref} }}"
    )
}

#[tokio::test]
async fn the_schema_can_be_read_within_its_own_limits() {
    let document = introspection();
    assert_eq!(tokens::check(&document), Ok(()));
    match parse_query(&document) {
        Ok(parsed) => assert_eq!(limits::check(&parsed), Ok(())),
        Err(error) => panic!("{error}"),
    }
    let response = schema().execute(document).await;
    assert!(response.is_ok(), "{:?}", response.errors);
}

#[test]
fn the_sdl_is_fit_to_be_committed() {
    let sdl = sdl();
    assert!(sdl.ends_with("}\n") && !sdl.contains(" \n") && !sdl.contains('\t'));
    let undescribed = sdl.match_indices("\n\n").filter(|(at, _)| {
        let rest = &sdl[at + 2..];
        ["type ", "input ", "enum ", "union ", "interface ", "scalar "]
            .iter()
            .any(|kind| rest.starts_with(kind))
    });
    assert_eq!(undescribed.count(), 0, "a type has no description");
}

/// What validation says about a selection. The unused variable keeps the document from running; that it is too complex
/// would be said first.
async fn verdict(selection: &str) -> String {
    let response = schema().execute(format!("query($unused: Int) {{ {selection} }}")).await;
    response.errors.first().map(|e| e.message.clone()).unwrap_or_default()
}

fn whole_orders(first: usize) -> String {
    let money = "{ amountMinor currency }";
    format!(
        "orders(first: {first}) {{ nodes {{ id requestId checkoutId number tableSessionId table status placedAt \
         cancelledAt total {money} note version ticket {{ id state createdAt updatedAt version }} \
         lines {{ menuItemId sku name station quantity unitPrice {money} lineTotal {money} taxRateBp note \
         toppings {{ toppingId name quantity unitPrice {money} }} }} }} pageInfo {{ hasNextPage endCursor }} }}"
    )
}

#[tokio::test]
async fn a_page_of_whole_orders_is_not_too_complex_and_two_are() {
    let page = whole_orders(100);
    assert!(verdict(&page).await.contains("is not used"), "{}", verdict(&page).await);
    assert_eq!(verdict(&format!("{page} more: {page}")).await, "Query is too complex.");
    // as many as one page may hold, whatever is asked for: the use case refuses the number with its range
    assert!(verdict(&whole_orders(1_000_000)).await.contains("is not used"));
}

/// A field that is gone would be found by whoever tries the API for the first time. The unused variable keeps the document
/// from running.
#[tokio::test]
async fn the_playground_s_operations_fit_the_schema() -> Result<(), Box<dyn std::error::Error>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/operations/playground");
    for file in std::fs::read_dir(folder)? {
        let file = file?.path();
        let name = file.display();
        if file.extension().is_none_or(|extension| extension != "graphql") {
            continue;
        }
        let query = std::fs::read_to_string(&file)?;
        let document = parse_query(&query)?;
        let mut operations = document.operations.iter();
        let (Some((Some(title), only)), None) = (operations.next(), operations.next()) else {
            panic!("{name} is not one operation with a name");
        };
        let checked = match only.node.ty {
            OperationType::Subscription => limits::check_watching(&document),
            OperationType::Query | OperationType::Mutation => limits::check(&document),
        };
        assert_eq!((tokens::check(&query), checked), (Ok(()), Ok(())), "{name}");

        let declared = only.node.variable_definitions.iter();
        let declared: BTreeSet<&str> = declared.map(|d| d.node.name.node.as_str()).collect();
        let variables = match declared.is_empty() {
            true => serde_json::json!({}),
            false => serde_json::from_str(&std::fs::read_to_string(file.with_extension("json"))?)?,
        };
        let given = variables.as_object().into_iter().flat_map(|v| v.keys());
        assert_eq!(declared, given.map(String::as_str).collect(), "{name}");

        let request = Request::new(format!("{query} query Unused($unused: Int) {{ shop {{ id }} }}"))
            .operation_name(title.as_str())
            .variables(Variables::from_json(variables));
        let errors = schema().execute(request).await.errors;
        let said: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert!(said.len() == 1 && said[0].contains("is not used"), "{name}: {said:?}");
    }
    Ok(())
}
