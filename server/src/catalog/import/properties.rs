//! What everything on a menu has: names, a description, a picture, and the code by which it is known.

use super::draft::Texts;
use super::field;
use super::json_ld::{At, texts};
use super::problem::{Place, Problem};
use super::schema_org::Reader;
use crate::lang::Lang;

/// What something is known by.
pub(super) struct Code {
    pub(super) text: String,
    /// Not made of its name.
    is_given: bool,
}

impl<'d> Reader<'_, 'd> {
    /// The name of anything; it must have one.
    pub(super) fn name(&mut self, at: &At<'d>, lang: Option<Lang>) -> Option<Texts> {
        let texts = self.texts(at, "name", lang, |text| field::line(text, field::MAX_NAME))?;
        match texts.is_empty() {
            true => {
                self.problem(at, "name", "is missing in Japanese and in English");
                None
            }
            false => Some(texts),
        }
    }

    /// A description that is missing is empty, in the language that the menu speaks.
    pub(super) fn description(&mut self, at: &At<'d>, lang: Option<Lang>) -> Texts {
        let texts = self.texts(at, "description", lang, |text| {
            field::lines(text, field::MAX_DESCRIPTION)
        });
        match texts {
            Some(texts) if !texts.is_empty() => texts,
            _ => Texts::new(String::new(), lang),
        }
    }

    /// A text in the languages in which it is not blank; `None` when something is wrong with it.
    fn texts(
        &mut self,
        at: &At<'d>,
        property: &str,
        lang: Option<Lang>,
        parse: impl Fn(&str) -> Result<String, String>,
    ) -> Option<Texts> {
        let values = self.values(at, property);
        let mut found = match texts(&values, lang) {
            Ok(found) => found,
            Err(path) => {
                self.problems
                    .push(Problem::new(Place::Path(path), "", "must be text, or text by language"));
                return None;
            }
        };
        for text in [&mut found.ja, &mut found.en] {
            let Some(parsed) = text.as_deref().map(&parse) else {
                continue;
            };
            match parsed {
                Ok(parsed) => *text = Some(parsed).filter(|text| !text.is_empty()),
                Err(message) => {
                    self.problem(at, property, message);
                    return None;
                }
            }
        }
        Some(found)
    }

    /// The first picture.
    pub(super) fn image(&mut self, at: &At<'d>) -> Option<String> {
        let image = self.values(at, "image").into_iter().next()?;
        let address = ["contentUrl", "url"]
            .iter()
            .find_map(|property| image.property(property))
            .unwrap_or(image);
        match address.json.text().map(field::image_url) {
            Some(Ok(url)) => Some(url),
            Some(Err(message)) => {
                self.problem(at, "image", message);
                None
            }
            None => {
                self.problem(
                    at,
                    "image",
                    "must be an address, or an ImageObject with a contentUrl or url",
                );
                None
            }
        }
    }

    /// The code by which something is known from import to import, or else a fallback.
    pub(super) fn code(&mut self, at: &At<'d>, fallback: &str, max: usize) -> Option<Code> {
        let given = self.given_code(at).or_else(|| {
            // each language has nodes of its own
            let id = at.id().filter(|id| !id.starts_with("_:") && !self.is_bilingual)?;
            Some(("@id", id.to_owned()))
        });
        let (property, text) = match given {
            Some((property, text)) => (property, text),
            None if self.is_bilingual => {
                let message = "is missing: the menu is here in two languages, and only an identifier tells that two things are one";
                self.problem(at, "identifier", message);
                return None;
            }
            None if fallback.chars().count() > max => {
                self.problem(
                    at,
                    "identifier",
                    "is missing, and the name is too long to stand in for it",
                );
                return None;
            }
            None => {
                return Some(Code {
                    text: fallback.to_owned(),
                    is_given: false,
                });
            }
        };
        match field::line(&text, max) {
            Ok(text) => Some(Code { text, is_given: true }),
            Err(message) => {
                self.problem(at, property, message);
                None
            }
        }
    }

    /// `sku` or `identifier`, of the thing or of its offers.
    fn given_code(&mut self, at: &At<'d>) -> Option<(&'static str, String)> {
        let mut places = vec![at.clone()];
        places.extend(self.values(at, "offers"));
        for place in places {
            for property in ["sku", "identifier"] {
                for value in self.values(&place, property) {
                    // an identifier may be a PropertyValue
                    let value = value.property("value").unwrap_or(value);
                    if let Some(code) = value.json.scalar().filter(|code| !code.trim().is_empty()) {
                        return Some((property, code.to_owned()));
                    }
                }
            }
        }
        None
    }

    /// Counts what goes without a code, for a note.
    pub(super) fn count(&mut self, code: &Code) {
        if !code.is_given {
            self.unnamed += 1;
        }
    }
}
