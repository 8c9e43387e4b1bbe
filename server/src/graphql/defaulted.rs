//! Numbers with a default.

use async_graphql::registry::Registry;
use async_graphql::{InputType, InputValueError, InputValueResult, Value};
use std::borrow::Cow;

/// An `Int!` that has a default. A variable that was left out means the default, as the specification has it; async-graphql
/// by itself reads it as null and refuses it. An explicit null is refused by the validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntOr<const DEFAULT: i64>(pub i64);

impl<const DEFAULT: i64> Default for IntOr<DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<const DEFAULT: i64> InputType for IntOr<DEFAULT> {
    type RawValueType = i64;

    fn type_name() -> Cow<'static, str> {
        <i64 as InputType>::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        <i64 as InputType>::create_type_info(registry)
    }

    fn parse(value: Option<Value>) -> InputValueResult<Self> {
        match value {
            None | Some(Value::Null) => Ok(Self::default()),
            value => <i64 as InputType>::parse(value)
                .map(Self)
                .map_err(InputValueError::propagate),
        }
    }

    fn to_value(&self) -> Value {
        InputType::to_value(&self.0)
    }

    fn as_raw_value(&self) -> Option<&i64> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_graphql::{EmptyMutation, EmptySubscription, InputObject, Object, Request, Schema, Variables};
    use serde_json::json;

    struct Query;

    #[derive(InputObject)]
    struct Topping {
        #[graphql(default)]
        quantity: IntOr<1>,
    }

    #[Object]
    impl Query {
        #[graphql(complexity = "first.0 as usize * child_complexity + 1")]
        async fn argument(&self, #[graphql(default)] first: IntOr<20>) -> i64 {
            first.0
        }

        async fn field(&self, topping: Topping) -> i64 {
            topping.quantity.0
        }
    }

    async fn answer(document: &str, variables: serde_json::Value) -> String {
        let schema = Schema::build(Query, EmptyMutation, EmptySubscription)
            .limit_complexity(50)
            .finish();
        let request = Request::new(document).variables(Variables::from_json(variables));
        let response = schema.execute(request).await;
        let error = response.errors.first().map(|e| e.message.clone());
        error.unwrap_or_else(|| response.data.to_string())
    }

    #[test]
    fn the_schema_shows_the_default() {
        let sdl = Schema::new(Query, EmptyMutation, EmptySubscription).sdl();
        assert!(sdl.contains("argument(first: Int! = 20): Int!"), "{sdl}");
        assert!(sdl.contains("quantity: Int! = 1"), "{sdl}");
    }

    #[tokio::test]
    async fn what_is_left_out_is_the_default() {
        for (document, variables, expected) in [
            ("{ argument }", json!({}), "{argument: 20}"),
            ("{ argument(first: 3) }", json!({}), "{argument: 3}"),
            ("query($n: Int) { argument(first: $n) }", json!({}), "{argument: 20}"),
            (
                "query($n: Int) { argument(first: $n) }",
                json!({ "n": 3 }),
                "{argument: 3}",
            ),
            ("query($n: Int = 4) { argument(first: $n) }", json!({}), "{argument: 4}"),
            ("{ field(topping: {}) }", json!({}), "{field: 1}"),
            (
                "query($n: Int) { field(topping: { quantity: $n }) }",
                json!({}),
                "{field: 1}",
            ),
            (
                "query($t: Topping!) { field(topping: $t) }",
                json!({ "t": {} }),
                "{field: 1}",
            ),
        ] {
            assert_eq!(answer(document, variables).await, expected, "{document}");
        }
    }

    #[tokio::test]
    async fn null_is_no_number() {
        for (document, variables) in [
            ("{ argument(first: null) }", json!({})),
            ("query($n: Int) { argument(first: $n) }", json!({ "n": null })),
            (
                "query($t: Topping!) { field(topping: $t) }",
                json!({ "t": { "quantity": null } }),
            ),
            ("{ argument(first: 1.5) }", json!({})),
        ] {
            assert!(
                answer(document, variables).await.contains("expected type \"Int\""),
                "{document}"
            );
        }
    }
}
