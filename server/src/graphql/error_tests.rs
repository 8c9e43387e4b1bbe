use super::*;
use crate::ordering::command::InputError;
use async_graphql::{EmptyMutation, EmptySubscription, Object, Schema};

struct Query;

#[Object]
impl Query {
    async fn fine(&self) -> i32 {
        1
    }

    async fn refused(&self, why: Why) -> Result<i32, Refusal> {
        Err(why.refusal())
    }

    async fn refused_or_null(&self, why: Why) -> Option<Result<i32, Refusal>> {
        Some(Err(why.refusal()))
    }

    async fn foreign(&self) -> Result<i32, std::fmt::Error> {
        Err(std::fmt::Error)
    }

    async fn money(&self, amount: scalar::MinorUnits) -> scalar::MinorUnits {
        amount
    }
}

#[derive(async_graphql::Enum, Clone, Copy, PartialEq, Eq)]
enum Why {
    Input,
    Internal,
    Unavailable,
}

impl Why {
    fn refusal(self) -> Refusal {
        match self {
            Self::Input => InputError::new("lines[0].quantity", "must be 1 to 99, not 0").into(),
            Self::Internal => Refusal::Internal,
            Self::Unavailable => Refusal::Unavailable,
        }
    }
}

async fn reply(document: &str) -> Reply {
    let schema = Schema::new(Query, EmptyMutation, EmptySubscription);
    complete(schema.execute(document).await, Lang::En)
}

fn extension(reply: &Reply, name: &str) -> Value {
    let first = reply.response.errors.first().and_then(|e| e.extensions.as_ref());
    first.and_then(|e| e.get(name)).cloned().unwrap_or_default()
}

fn message(reply: &Reply) -> &str {
    reply
        .response
        .errors
        .first()
        .map(|e| e.message.as_str())
        .unwrap_or_default()
}

#[tokio::test]
async fn a_refusal_keeps_its_words_and_gets_its_code() {
    let reply = reply("{ refused(why: INPUT) }").await;
    assert!(reply.ran);
    assert_eq!(message(&reply), "lines[0].quantity: must be 1 to 99, not 0");
    assert_eq!(extension(&reply, "code"), Value::from("BAD_USER_INPUT"));
    assert_eq!(extension(&reply, "status"), Value::from(400));
    assert_eq!(extension(&reply, "retryable"), Value::from(false));
    assert_eq!(extension(&reply, "retryAfterMs"), Value::Null);
}

#[tokio::test]
async fn unavailable_says_when_to_come_back() {
    let reply = reply("{ refused(why: UNAVAILABLE) }").await;
    assert_eq!(extension(&reply, "code"), Value::from("UNAVAILABLE"));
    assert_eq!(extension(&reply, "retryAfterMs"), Value::from(1_000));
    assert_eq!(reply.retry_after_ms, Some(1_000));
}

#[tokio::test]
async fn a_fault_tells_nothing_of_its_cause() {
    for document in ["{ refused(why: INTERNAL) }", "{ foreign }"] {
        let reply = reply(document).await;
        assert!(reply.ran);
        assert_eq!(extension(&reply, "code"), Value::from("INTERNAL"));
        assert_eq!(message(&reply), messages::sentence(Code::Internal, Lang::En));
    }
}

#[tokio::test]
async fn what_never_ran_is_bad_input() {
    for document in [
        "{",
        "{ unknown }",
        "{ money(amount: 1.5) }",
        "query A { fine } query B { fine }",
    ] {
        let reply = reply(document).await;
        assert!(!reply.ran, "{document}");
        assert_eq!(extension(&reply, "code"), Value::from("BAD_USER_INPUT"), "{document}");
    }
}

#[tokio::test]
async fn a_document_gets_a_page_of_complaints() {
    let unknown: String = (0..100).map(|i| format!("f{i} ")).collect();
    assert_eq!(
        reply(&format!("{{ {unknown} }}")).await.response.errors.len(),
        MAX_COMPLAINTS
    );
}

#[tokio::test]
async fn a_syntax_error_is_told_in_a_line() {
    let reply = reply("{ fine( }").await;
    assert!(
        message(&reply).starts_with("the document is not GraphQL: expected "),
        "{}",
        message(&reply)
    );
    assert!(!message(&reply).contains('\n'));
    assert!(
        reply
            .response
            .errors
            .iter()
            .all(|e| !e.locations.is_empty() && e.path.is_empty())
    );
}

#[tokio::test]
async fn a_scalar_that_does_not_fit_says_what_does() {
    for amount in ["1.5", "\"850\"", "9007199254740992", "true"] {
        let reply = reply(&format!("{{ money(amount: {amount}) }}")).await;
        assert!(message(&reply).contains("\"amount\""), "{}", message(&reply));
        assert!(
            message(&reply).contains("an integer from -9007199254740991"),
            "{}",
            message(&reply)
        );
    }
}

#[tokio::test]
async fn a_failed_field_of_the_root_is_null_with_everything_beside_it() {
    let failed = reply("{ fine refused(why: INPUT) }").await;
    assert!(failed.ran);
    assert_eq!(failed.response.data, Value::Null);
    let nullable = reply("{ fine refusedOrNull(why: INPUT) }").await;
    assert_eq!(nullable.response.data.to_string(), "{fine: 1, refusedOrNull: null}");
    assert_eq!(extension(&nullable, "code"), Value::from("BAD_USER_INPUT"));
}

#[tokio::test]
async fn data_is_an_object_even_if_every_field_is_skipped() {
    let reply = reply("{ fine @skip(if: true) }").await;
    assert!(reply.ran);
    assert_eq!(reply.response.data, Value::Object(Default::default()));
}
