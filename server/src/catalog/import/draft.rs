//! A menu as a file asks for it: without ids, with the shop's own codes. What a file does not say is `None`, and stays as it
//! is.

use crate::lang::{Lang, LocalText};

/// A whole menu.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// In menu order.
    pub sections: Vec<SectionDraft>,
    /// `None`: the file has no way to speak of toppings.
    pub groups: Option<Vec<GroupDraft>>,
    /// What the reader should know, and is no error.
    pub notes: Vec<String>,
}

/// A text in the languages that a file has it in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    /// Japanese.
    pub ja: Option<String>,
    /// English.
    pub en: Option<String>,
}

/// A part of the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionDraft {
    /// What the source calls it.
    pub key: String,
    /// Its name.
    pub name: Texts,
    /// In menu order.
    pub items: Vec<ItemDraft>,
}

/// A dish or drink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemDraft {
    /// The shop's own code.
    pub sku: String,
    /// Its name.
    pub name: Texts,
    /// What to say about it.
    pub description: Texts,
    /// Its picture; `Some(None)`: there is none.
    pub image_url: Option<Option<String>>,
    /// What it holds.
    pub allergens: Option<Vec<String>>,
    /// Where it is made.
    pub station: Option<String>,
    /// Tax included.
    pub price_minor: i64,
    /// *Units*: basis points.
    pub tax_rate_bp: Option<i64>,
    /// *Units*: pieces; `None`: not tracked.
    pub stock: Option<i64>,
    /// Keys of the topping groups that it offers, in menu order.
    pub groups: Option<Vec<String>>,
}

/// Choices that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupDraft {
    /// What the source calls it.
    pub key: String,
    /// Its name.
    pub name: Texts,
    /// Portions that must be chosen.
    pub min: i64,
    /// Portions that may be chosen.
    pub max: i64,
    /// In menu order; each topping is in one group.
    pub toppings: Vec<ToppingDraft>,
}

/// An extra or a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToppingDraft {
    /// The shop's own code.
    pub sku: String,
    /// Its name.
    pub name: Texts,
    /// One portion, tax included.
    pub price_minor: i64,
    /// *Units*: pieces; `None`: not tracked.
    pub stock: Option<i64>,
}

impl Draft {
    /// All items, in menu order.
    pub fn items(&self) -> impl Iterator<Item = &ItemDraft> {
        self.sections.iter().flat_map(|section| &section.items)
    }
}

impl Texts {
    /// The same in both languages, or in one.
    pub fn new(text: String, lang: Option<Lang>) -> Self {
        match lang {
            Some(Lang::Ja) => Self {
                ja: Some(text),
                en: None,
            },
            Some(Lang::En) => Self {
                ja: None,
                en: Some(text),
            },
            None => Self {
                ja: Some(text.clone()),
                en: Some(text),
            },
        }
    }

    /// In no language.
    pub fn is_empty(&self) -> bool {
        self.ja.is_none() && self.en.is_none()
    }

    /// One of them, Japanese first.
    pub fn any(&self) -> Option<&str> {
        self.ja.as_deref().or(self.en.as_deref())
    }

    /// Takes the languages that are missing here from another text.
    pub fn fill(&mut self, other: Self) {
        self.ja = self.ja.take().or(other.ja);
        self.en = self.en.take().or(other.en);
    }

    /// The text in both languages. A language that the file does not have stays as it is, unless it only ever was a copy of the
    /// other one; then it follows that one.
    pub fn over(&self, before: Option<&LocalText>) -> LocalText {
        let own = before.filter(|text| text.ja != text.en);
        match (&self.ja, &self.en) {
            (Some(ja), Some(en)) => LocalText {
                ja: ja.clone(),
                en: en.clone(),
            },
            (Some(ja), None) => LocalText {
                ja: ja.clone(),
                en: own.map_or_else(|| ja.clone(), |text| text.en.clone()),
            },
            (None, Some(en)) => LocalText {
                ja: own.map_or_else(|| en.clone(), |text| text.ja.clone()),
                en: en.clone(),
            },
            (None, None) => before.cloned().unwrap_or_else(|| LocalText {
                ja: String::new(),
                en: String::new(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(ja: &str, en: &str) -> LocalText {
        LocalText {
            ja: ja.into(),
            en: en.into(),
        }
    }

    #[test]
    fn a_missing_language_stays_unless_it_was_a_copy() {
        let ja = |text: &str| Texts::new(text.into(), Some(Lang::Ja));
        let en = |text: &str| Texts::new(text.into(), Some(Lang::En));
        let (own, copy) = (local("お茶", "Tea"), local("お茶", "お茶"));
        assert_eq!(ja("緑茶").over(None), local("緑茶", "緑茶"));
        assert_eq!(en("Tea").over(None), local("Tea", "Tea"));
        assert_eq!(ja("緑茶").over(Some(&own)), local("緑茶", "Tea"));
        assert_eq!(ja("緑茶").over(Some(&copy)), local("緑茶", "緑茶"));
        assert_eq!(en("Green tea").over(Some(&own)), local("お茶", "Green tea"));
        assert_eq!(en("Green tea").over(Some(&copy)), local("Green tea", "Green tea"));
        assert_eq!(Texts::default().over(Some(&own)), own);
        assert_eq!(Texts::default().over(None), local("", ""));
        assert_eq!(Texts::new("Tea".into(), None).over(Some(&copy)), local("Tea", "Tea"));
    }
}
