use super::*;
use axum::body::to_bytes;
use axum::http::header::{CACHE_CONTROL, CONNECTION, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Value, json};

async fn parts(problem: Problem) -> (StatusCode, HeaderMap, Value) {
    let response = problem.respond();
    let (status, headers) = (response.status(), response.headers().clone());
    let body = to_bytes(response.into_body(), 10_000).await.unwrap_or_default();
    (status, headers, serde_json::from_slice(&body).unwrap_or_default())
}

#[tokio::test]
async fn a_problem_has_the_members_of_its_standard_and_ours() {
    let conflict = Conflict::Cooldown { wait_ms: 2_001 };
    let (status, headers, body) = parts(Problem::conflict(&conflict, Lang::Ja)).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(headers[CONTENT_TYPE], MEDIA);
    assert_eq!(headers[CACHE_CONTROL], "no-store");
    assert_eq!(headers[RETRY_AFTER], "3", "rounded up: never too early");
    let expected = json!({
        "type": "/openapi.json#/components/examples/COOLDOWN_ACTIVE",
        "title": "送信が早すぎます。少しお待ちください",
        "status": 429,
        "detail": "送信が早すぎます。少しお待ちください",
        "code": "COOLDOWN_ACTIVE",
        "retryable": true,
        "retryAfterMs": 2_001,
        "retryWithNewRequestId": false,
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn http_knows_a_closer_status_for_what_it_could_not_read() {
    let refused = Refused::new(StatusCode::PAYLOAD_TOO_LARGE, "too large");
    let (status, headers, body) = parts(Problem::unread(refused, Lang::En)).await;
    assert_eq!((status.as_u16(), &body["status"]), (413, &json!(413)));
    assert_eq!(headers[CONNECTION], "close");
    assert_eq!(
        (&body["code"], &body["detail"]),
        (&json!("BAD_USER_INPUT"), &json!("too large"))
    );
    let (status, headers, _) = parts(Problem::refused(&Refusal::ANONYMOUS, Lang::En)).await;
    assert_eq!(
        (status.as_u16(), &headers[WWW_AUTHENTICATE]),
        (401, &HeaderValue::from_static("Bearer"))
    );
    let (status, headers, _) = parts(Problem::refused(&Refusal::Unavailable, Lang::En)).await;
    assert_eq!(
        (status.as_u16(), &headers[RETRY_AFTER]),
        (503, &HeaderValue::from_static("1"))
    );
}

#[tokio::test]
async fn a_panic_tells_nothing_of_its_cause() {
    for panic in [Box::new("secret") as Box<dyn Any + Send>, Box::new(7)] {
        let response = panicked(panic);
        assert_eq!(response.status(), 500);
        let body = to_bytes(response.into_body(), 10_000).await.unwrap_or_default();
        assert!(!String::from_utf8_lossy(&body).contains("secret"));
    }
}
