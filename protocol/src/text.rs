//! Free text. Two spellings of the same words are one text: compared NFC-normalised and trimmed, stored as sent.

use alloc::string::String;
use core::cmp::Ordering;
use core::hash::{Hash, Hasher};

/// A note. Equality, order and hash look at the compared form only.
///
/// Normalising is left to the caller (the server has tables for it, the browser has `String.prototype.normalize`);
/// trimming is done here, so that both sides trim alike.
#[derive(Clone, Debug, Default)]
pub struct Text {
    sent: String,
    compared: String,
}

impl Text {
    /// Takes a text as sent with its NFC form.
    pub fn new(sent: &str, nfc: &str) -> Self {
        Self {
            sent: sent.into(),
            compared: nfc.trim().into(),
        }
    }

    /// The text as the guest sent it.
    pub fn as_sent(&self) -> &str {
        &self.sent
    }

    /// The form that is compared and hashed: NFC, trimmed.
    pub fn compared(&self) -> &str {
        &self.compared
    }

    /// Nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.compared.is_empty()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.compared == other.compared
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compared.cmp(&other.compared)
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.compared.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_are_equal_texts_and_keep_their_spelling() {
        let padded = Text::new(" less salt\n", " less salt\n");
        assert_eq!(padded, Text::new("less salt", "less salt"));
        assert_eq!(padded.as_sent(), " less salt\n");
        assert!(Text::new(" \r\n", " \r\n").is_blank());
    }
}
