//! Media types of the GraphQL-over-HTTP draft (sections "Media Types", "Accept", "Content-Type").

use super::headers;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};

/// What an answer is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// `application/json`: 200 for every request that is well formed, because a proxy may have written any other status.
    Json,
    /// `application/graphql-response+json`: the status tells whether the operation ran.
    GraphqlResponse,
}

impl Media {
    /// The value of the `Content-Type` header.
    pub fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => "application/json; charset=utf-8",
            Self::GraphqlResponse => "application/graphql-response+json; charset=utf-8",
        })
    }

    /// Picks what the caller likes best; without a preference JSON, which older clients expect. `None` if the caller takes
    /// neither.
    pub fn accepted(headers: &HeaderMap) -> Option<Self> {
        let accept: Vec<&str> = headers
            .get_all(ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        if accept.iter().all(|value| value.trim().is_empty()) {
            return Some(Self::Json);
        }
        let json = liking("application/json", &accept);
        let response = liking("application/graphql-response+json", &accept);
        match (json.weight, response.weight) {
            (0, 0) => None,
            (json, weight) if weight > json => Some(Self::GraphqlResponse),
            (json, weight) if weight == json && response.named => Some(Self::GraphqlResponse),
            _ => Some(Self::Json),
        }
    }
}

/// The caller is a browser that opens a page: it names HTML, and does not only take anything.
pub fn takes_html(headers: &HeaderMap) -> bool {
    let accept: Vec<&str> = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    let html = liking("text/html", &accept);
    html.named && html.weight > 0
}

/// How much a caller likes a media type.
#[derive(Default)]
struct Liking {
    /// *Units*: thousandths.
    weight: u16,
    /// Said so, and did not only say "anything".
    named: bool,
}

/// The weight of the range that fits most closely (RFC 9110 section 12.5.1).
fn liking(media: &str, accept: &[&str]) -> Liking {
    let mut closest = None;
    for range in accept.iter().flat_map(|value| value.split(',')) {
        let (name, parameters) = range.split_once(';').unwrap_or((range, ""));
        let closeness = match name.trim() {
            name if name.eq_ignore_ascii_case(media) => 2,
            name if name.eq_ignore_ascii_case("application/*") => 1,
            "*/*" => 0,
            _ => continue,
        };
        if closest.is_none_or(|(so_far, _)| closeness > so_far) {
            closest = Some((closeness, weight(parameters)));
        }
    }
    closest.map_or_else(Liking::default, |(closeness, weight)| Liking {
        weight,
        named: closeness == 2,
    })
}

fn weight(parameters: &str) -> u16 {
    let q = parameters.split(';').find_map(|p| p.trim().strip_prefix("q="));
    let weight = q.map_or(1.0, |q| q.trim().parse::<f32>().unwrap_or_default());
    (weight.clamp(0.0, 1.0) * 1_000.0) as u16
}

/// The body is JSON in UTF-8.
pub fn is_json(headers: &HeaderMap) -> bool {
    let Some(content_type) = headers::text(headers, &CONTENT_TYPE) else {
        return false;
    };
    let mut parts = content_type.split(';').map(str::trim);
    let is_json = parts
        .next()
        .is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"));
    is_json
        && parts.filter_map(|p| p.split_once('=')).all(|(name, value)| {
            !name.trim().eq_ignore_ascii_case("charset") || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(values: &[&'static str]) -> Option<Media> {
        let headers = values
            .iter()
            .map(|value| (ACCEPT, HeaderValue::from_static(value)))
            .collect();
        Media::accepted(&headers)
    }

    #[test]
    fn the_caller_chooses_and_json_is_the_default() {
        use Media::{GraphqlResponse, Json};
        for (accept, media) in [
            ("application/json", Some(Json)),
            ("application/graphql-response+json", Some(GraphqlResponse)),
            (
                "Application/GraphQL-Response+JSON; charset=utf-8",
                Some(GraphqlResponse),
            ),
            (
                "application/graphql-response+json, application/json;q=0.9",
                Some(GraphqlResponse),
            ),
            (
                "application/json, application/graphql-response+json",
                Some(GraphqlResponse),
            ),
            ("application/json, application/graphql-response+json;q=0.9", Some(Json)),
            ("application/graphql-response+json, */*;q=0.1", Some(GraphqlResponse)),
            ("application/json;q=0, */*", Some(GraphqlResponse)),
            ("*/*", Some(Json)),
            ("application/*", Some(Json)),
            ("text/html, */*;q=0.8", Some(Json)),
            ("", Some(Json)),
            ("text/html", None),
            ("text/event-stream, multipart/mixed", None),
            ("*/*;q=0", None),
            ("application/json;q=nonsense", None),
        ] {
            assert_eq!(accepted(&[accept]), media, "{accept}");
        }
        assert_eq!(accepted(&[]), Some(Json));
        assert_eq!(
            accepted(&["text/html", "application/graphql-response+json"]),
            Some(GraphqlResponse)
        );
    }

    #[test]
    fn a_browser_names_html() {
        for (accept, html) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
            ("Text/HTML", true),
            ("text/html;q=0, */*", false),
            ("*/*", false),
            ("application/*", false),
            ("application/json", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
            assert_eq!(takes_html(&headers), html, "{accept}");
        }
        assert!(!takes_html(&HeaderMap::new()));
    }

    #[test]
    fn a_body_is_json_in_utf_8() {
        for (content_type, fits) in [
            ("application/json", true),
            ("application/json; charset=utf-8", true),
            ("Application/JSON;charset=\"UTF-8\"", true),
            ("application/json; profile=x", true),
            ("application/json; charset=shift_jis", false),
            ("application/graphql", false),
            ("application/jsonx", false),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("multipart/form-data; boundary=x", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
            assert_eq!(is_json(&headers), fits, "{content_type}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
