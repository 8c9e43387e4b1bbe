//! As much of JSON-LD as menus on the web use: nodes that point to each other by `@id`, inside and outside of `@graph`, names
//! with and without the prefix of schema.org, and text in languages.

use super::draft::Texts;
use super::json::Json;
use crate::lang::Lang;
use std::collections::HashMap;
use std::ptr;

/// What may stand in front of a name of schema.org.
const PREFIXES: [&str; 3] = ["schema:", "https://schema.org/", "http://schema.org/"];

/// A document, with its nodes by `@id`.
pub struct Document<'d> {
    root: &'d Json,
    nodes: HashMap<&'d str, At<'d>>,
    /// Of texts that do not say theirs, from `@context`.
    pub lang: Option<Lang>,
}

/// A value and where it is.
#[derive(Debug, Clone)]
pub struct At<'d> {
    /// As in `$.hasMenuSection[0]`.
    pub path: String,
    /// The value.
    pub json: &'d Json,
}

/// Which language something says it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tongue {
    /// It does not say.
    Unsaid,
    /// One that menus are kept in.
    Ours(Lang),
    /// Another one.
    Other(String),
}

impl<'d> Document<'d> {
    /// Finds all nodes.
    pub fn new(root: &'d Json) -> Self {
        let mut document = Self {
            root,
            nodes: HashMap::new(),
            lang: None,
        };
        let context = root.get("@context");
        let contexts = match context {
            Some(Json::List(contexts)) => contexts.iter().collect(),
            other => Vec::from_iter(other),
        };
        document.lang = contexts
            .into_iter()
            .find_map(|context| context.get("@language")?.text())
            .and_then(ours);
        document.index(document.root());
        document
    }

    /// The whole of it.
    pub fn root(&self) -> At<'d> {
        At {
            path: "$".into(),
            json: self.root,
        }
    }

    /// The values of a property: none, one, or each of a list; what points to a node elsewhere becomes that node.
    ///
    /// *Errors*: it points to nothing in this document; the place and the id.
    pub fn values(&self, at: &At<'d>, property: &str) -> Vec<Result<At<'d>, (String, &'d str)>> {
        let Some(value) = at.property(property) else {
            return Vec::new();
        };
        let listed = value
            .json
            .get("@list")
            .or_else(|| value.json.get("@set"))
            .unwrap_or(value.json);
        let values = match listed {
            Json::List(values) => value.elements(values),
            _ => vec![value],
        };
        values.into_iter().map(|value| self.resolve(value)).collect()
    }

    fn resolve(&self, at: At<'d>) -> Result<At<'d>, (String, &'d str)> {
        match at.reference() {
            None => Ok(at),
            Some(id) => match self.nodes.get(id) {
                Some(node) => Ok(node.clone()),
                None => Err((at.path, id)),
            },
        }
    }

    fn index(&mut self, at: At<'d>) {
        match at.json {
            Json::List(values) => at.elements(values).into_iter().for_each(|value| self.index(value)),
            Json::Object(properties) => {
                if let Some(id) = at.id().filter(|_| at.reference().is_none()) {
                    self.nodes.entry(id).or_insert_with(|| at.clone());
                }
                for (name, json) in properties.iter().filter(|(name, _)| name != "@context") {
                    let path = format!("{}.{name}", at.path);
                    self.index(At { path, json });
                }
            }
            _ => {}
        }
    }
}

impl<'d> At<'d> {
    /// The value of a property of schema.org, not followed.
    pub fn property(&self, property: &str) -> Option<At<'d>> {
        let Json::Object(properties) = self.json else {
            return None;
        };
        let found = properties.iter().find(|(name, _)| term(name) == property);
        found.filter(|(_, json)| *json != Json::Null).map(|(name, json)| At {
            path: format!("{}.{name}", self.path),
            json,
        })
    }

    /// Its `@id`.
    pub fn id(&self) -> Option<&'d str> {
        self.json.get("@id")?.text()
    }

    /// It has this `@type`.
    pub fn is_a(&self, kind: &str) -> bool {
        let is = |json: &Json| json.text().is_some_and(|text| term(text) == kind);
        match self.json.get("@type") {
            Some(Json::List(kinds)) => kinds.iter().any(is),
            Some(one) => is(one),
            None => false,
        }
    }

    /// It is the same node, however it was come to.
    pub fn is(&self, other: &Self) -> bool {
        ptr::eq(self.json, other.json)
    }

    /// Which language it says it is in.
    pub fn tongue(&self) -> Tongue {
        let said = self.property("inLanguage");
        let tag = said.as_ref().and_then(|said| match said.json {
            Json::List(tags) => tags.first().and_then(Json::text),
            Json::Object(_) => said.json.get("alternateName").or_else(|| said.json.get("name"))?.text(),
            other => other.text(),
        });
        match tag {
            None => Tongue::Unsaid,
            Some(tag) => ours(tag).map_or_else(|| Tongue::Other(tag.to_owned()), Tongue::Ours),
        }
    }

    /// Each element of a list at this place.
    pub fn elements(&self, values: &'d [Json]) -> Vec<At<'d>> {
        let element = |(i, json)| At {
            path: format!("{}[{i}]", self.path),
            json,
        };
        values.iter().enumerate().map(element).collect()
    }

    /// Nothing but an `@id` (and perhaps its type): it stands for a node elsewhere.
    fn reference(&self) -> Option<&'d str> {
        let Json::Object(properties) = self.json else {
            return None;
        };
        let is_bare = properties.iter().all(|(name, _)| name == "@id" || name == "@type");
        self.id().filter(|_| is_bare)
    }
}

/// Gathers texts in both languages from values that are plain, tagged (`@value` with `@language`) or maps by language. Plain
/// text is in `lang`; if that is unknown, it stands for both languages.
///
/// *Errors*: a value is no text; its place.
pub fn texts(values: &[At<'_>], lang: Option<Lang>) -> Result<Texts, String> {
    let mut tagged = Texts::default();
    let mut plain = Texts::default();
    let mut add = |tag: Option<&str>, text: &str| match tag {
        None => plain.fill(Texts::new(text.into(), lang)),
        // a text in a third language is nobody's here
        Some(tag) => tagged.fill(ours(tag).map_or_else(Texts::default, |lang| Texts::new(text.into(), Some(lang)))),
    };
    for at in values {
        let wrong = || at.path.clone();
        match at.json {
            Json::Object(_) if at.json.get("@value").is_some() => {
                let text = at.json.get("@value").and_then(Json::scalar).ok_or_else(wrong)?;
                add(at.json.get("@language").and_then(Json::text), text);
            }
            Json::Object(by_language) => {
                for (tag, json) in by_language {
                    let text = match json {
                        Json::List(texts) => texts.first().and_then(Json::text),
                        other => other.text(),
                    };
                    let tag = (tag != "@none").then_some(tag.as_str());
                    let is_tag = |tag: &str| tag.split('-').next().is_some_and(|tag| matches!(tag.len(), 2 | 3));
                    if !tag.is_none_or(is_tag) {
                        return Err(wrong());
                    }
                    add(tag, text.ok_or_else(wrong)?);
                }
            }
            other => add(None, other.scalar().ok_or_else(wrong)?),
        }
    }
    tagged.fill(plain);
    Ok(tagged)
}

/// The language of a tag like `ja-JP`, if menus are kept in it. *Source*: BCP 47; the first subtag is the language.
fn ours(tag: &str) -> Option<Lang> {
    match &*tag.split(['-', '_']).next()?.trim().to_ascii_lowercase() {
        "ja" | "jpn" | "japanese" | "日本語" => Some(Lang::Ja),
        "en" | "eng" | "english" | "英語" => Some(Lang::En),
        _ => None,
    }
}

fn term(name: &str) -> &str {
    let stripped = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    stripped.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    fn parsed(text: &str) -> Json {
        json::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn named(text: &str, lang: Option<Lang>) -> Result<(Option<String>, Option<String>), String> {
        let json = parsed(&format!("{{\"schema:name\": {text}}}"));
        let document = Document::new(&json);
        let values = document.values(&document.root(), "name");
        let values: Vec<_> = values
            .into_iter()
            .map(|value| value.unwrap_or_else(|e| panic!("{e:?}")))
            .collect();
        texts(&values, lang).map(|texts| (texts.ja, texts.en))
    }

    #[test]
    fn texts_come_in_every_form_that_json_ld_has() {
        let some = |text: &str| Some(text.to_owned());
        for (text, lang, ja, en) in [
            ("\"茶\"", Some(Lang::Ja), some("茶"), None),
            ("\"Tea\"", Some(Lang::En), None, some("Tea")),
            ("\"Tea\"", None, some("Tea"), some("Tea")),
            (r#"{"@value": "茶", "@language": "ja-JP"}"#, None, some("茶"), None),
            (
                r#"[{"@value": "茶", "@language": "ja"}, {"@value": "Tea", "@language": "en"}]"#,
                None,
                some("茶"),
                some("Tea"),
            ),
            (
                r#"["茶", {"@value": "Tea", "@language": "en"}]"#,
                None,
                some("茶"),
                some("Tea"),
            ),
            (
                r#"{"ja": "茶", "en-US": ["Tea"], "fr": "Thé"}"#,
                None,
                some("茶"),
                some("Tea"),
            ),
            (r#"{"@none": "Tea", "ja": "茶"}"#, None, some("茶"), some("Tea")),
            (r#"{"@value": "Thé", "@language": "fr"}"#, None, None, None),
            ("7", None, some("7"), some("7")),
        ] {
            assert_eq!(named(text, lang), Ok((ja, en)), "{text}");
        }
        assert_eq!(named("[true]", None), Err("$.schema:name[0]".into()));
        assert_eq!(named(r#"{"text": "x"}"#, None), Err("$.schema:name".into()));
    }

    #[test]
    fn nodes_are_found_by_their_id() {
        let json = parsed(
            r##"{"@context": {"@language": "ja"}, "@graph": [
                {"@id": "#m", "@type": "http://schema.org/Menu", "hasMenuSection": [{"@id": "#s"}, {"@id": "#gone"}]},
                {"@id": "#s", "@type": ["MenuSection"], "inLanguage": "en-GB"}]}"##,
        );
        let document = Document::new(&json);
        assert_eq!(document.lang, Some(Lang::Ja));
        let graph = document.values(&document.root(), "@graph");
        let Some(Ok(menu)) = graph.first() else {
            panic!("no menu: {graph:?}");
        };
        assert!(menu.is_a("Menu") && !menu.is_a("MenuSection"));
        let sections = document.values(menu, "hasMenuSection");
        let [Ok(section), gone] = &sections[..] else {
            panic!("no section: {sections:?}");
        };
        assert_eq!(section.path, "$.@graph[1]");
        assert!(section.is_a("MenuSection"));
        assert_eq!(section.tongue(), Tongue::Ours(Lang::En));
        assert_eq!(menu.tongue(), Tongue::Unsaid);
        let gone = gone.as_ref().map(|at| at.path.clone());
        assert_eq!(gone, Err(&("$.@graph[0].hasMenuSection[1]".to_owned(), "#gone")));
    }
}
