//! The languages of the house. Texts are rendered in the reader's language, never stored rendered.

use serde::{Deserialize, Serialize};

/// A language that texts exist in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// Japanese.
    Ja,
    /// English, also for readers of neither.
    #[default]
    En,
}

impl Lang {
    /// Picks from an `Accept-Language` header (RFC 9110 section 12.5.4): the known language of highest weight.
    pub fn from_accept_language(header: &str) -> Self {
        let mut best = (0.0, Self::default());
        for range in header.split(',') {
            let mut parts = range.split(';');
            let tag = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
            let weight = parts
                .find_map(|p| p.trim().strip_prefix("q=").map(|q| q.parse().unwrap_or(0.0)))
                .unwrap_or(1.0_f32);
            let lang = match tag.split('-').next() {
                Some("ja") => Self::Ja,
                Some("en") => Self::En,
                _ => continue,
            };
            if weight > best.0 {
                best = (weight, lang);
            }
        }
        best.1
    }
}

/// A name in both languages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalText {
    /// Japanese.
    pub ja: String,
    /// English.
    pub en: String,
}

impl LocalText {
    /// The text for this reader.
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::Ja => &self.ja,
            Lang::En => &self.en,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_language_of_highest_weight_wins() {
        for (header, lang) in [
            ("", Lang::En),
            ("ja", Lang::Ja),
            ("ja-JP,en;q=0.8", Lang::Ja),
            ("en-US;q=0.5, ja;q=0.9", Lang::Ja),
            ("de, fr;q=0.9", Lang::En),
            ("ja;q=0, en;q=0.1", Lang::En),
        ] {
            assert_eq!(Lang::from_accept_language(header), lang, "{header}");
        }
    }
}
