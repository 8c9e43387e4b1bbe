//! The names and signs of a Rust source file, without its comments and without the contents of its
//! strings.

use std::iter::Peekable;
use std::str::Chars;

/// A name (identifier, keyword or number) or one sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The name, or the sign as a string of one character.
    pub text: String,
    /// The line that it stands on, from 1.
    pub line: usize,
}

/// Splits Rust source into tokens. Source that does not compile gives tokens too, of no promised
/// meaning.
pub fn tokenize(source: &str) -> Vec<Token> {
    let mut reader = Reader {
        rest: source.chars().peekable(),
        line: 1,
    };
    let mut tokens = Vec::new();
    while let Some(first) = reader.next() {
        let line = reader.line;
        match first {
            '/' if reader.peek() == Some('/') => reader.skip_line(),
            '/' if reader.peek() == Some('*') => reader.skip_block_comment(),
            '"' => reader.skip_string(),
            '\'' => reader.skip_character_or_lifetime(),
            _ if first.is_whitespace() => {}
            _ if is_name(first) => {
                let name = reader.name(first);
                if !reader.skip_prefixed_literal(&name) {
                    tokens.push(Token { text: name, line });
                }
            }
            _ => tokens.push(Token {
                text: first.to_string(),
                line,
            }),
        }
    }
    tokens
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    fn name(&mut self, first: char) -> String {
        let mut name = String::from(first);
        while let Some(c) = self.peek().filter(|&c| is_name(c)) {
            name.push(c);
            self.next();
        }
        name
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|c| c != '\n') {}
    }

    /// Block comments nest.
    fn skip_block_comment(&mut self) {
        self.next();
        let mut depth = 1;
        while depth > 0
            && let Some(c) = self.next()
        {
            match (c, self.peek()) {
                ('/', Some('*')) => depth += 1,
                ('*', Some('/')) => depth -= 1,
                _ => continue,
            }
            self.next();
        }
    }

    /// After the opening quote.
    fn skip_string(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\\' => _ = self.next(),
                '"' => return,
                _ => {}
            }
        }
    }

    /// After the quote: `'a'`, `'\n'` and `'\u{1F363}'` are characters, `'a` is a lifetime.
    fn skip_character_or_lifetime(&mut self) {
        match self.next() {
            Some('\\') => {
                self.next();
                while self.next().is_some_and(|c| c != '\'') {}
            }
            Some(first) if is_name(first) => {
                self.name(first);
                if self.peek() == Some('\'') {
                    self.next();
                }
            }
            _ => _ = self.next(),
        }
    }

    /// After a name that may be a literal's prefix, as in `b"…"`, `r#"…"#` and `b'…'`. Answers
    /// whether it was; the raw name `r#type` is not, and loses its `r#`'s meaning only.
    fn skip_prefixed_literal(&mut self, prefix: &str) -> bool {
        let raw = matches!(prefix, "r" | "br" | "cr");
        match self.peek() {
            Some('"') if raw => self.skip_raw_string(0),
            Some('"') if matches!(prefix, "b" | "c") => {
                self.next();
                self.skip_string();
            }
            Some('\'') if prefix == "b" => {
                self.next();
                self.skip_character_or_lifetime();
            }
            Some('#') if raw => {
                let ahead = self.rest.clone();
                let hashes = ahead.take_while(|&c| c == '#').count();
                if self.rest.clone().nth(hashes) != Some('"') {
                    return false;
                }
                self.skip_raw_string(hashes);
            }
            _ => return false,
        }
        true
    }

    /// Before the first hash or quote.
    fn skip_raw_string(&mut self, hashes: usize) {
        while self.next().is_some_and(|c| c != '"') {}
        while let Some(c) = self.next() {
            if c == '"' && self.rest.clone().take_while(|&c| c == '#').take(hashes).count() == hashes {
                for _ in 0..hashes {
                    self.next();
                }
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        tokenize(source).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_are_left_out() {
        assert_eq!(
            texts("a // b\nc /* d /* e */ f */ g //! h\n/// i\nj"),
            ["a", "c", "g", "j"]
        );
    }

    #[test]
    fn strings_are_left_out_and_hide_comments() {
        assert_eq!(
            texts(r##"a("// b \" c") d(r#"e " f"#) g(b"h", 'i', b'j', '"', '\'', '\u{1F363}') k"##),
            [
                "a", "(", ")", "d", "(", ")", "g", "(", ",", ",", ",", ",", ",", ")", "k"
            ]
        );
    }

    #[test]
    fn lifetimes_are_not_the_start_of_a_character() {
        assert_eq!(
            texts("fn a<'b>(c: &'b str) { d('e') }").last().map(String::as_str),
            Some("}")
        );
        assert!(texts("fn a<'b>(c: &'b str) { d('e') }").contains(&"d".to_owned()));
    }

    #[test]
    fn tokens_know_their_line() {
        let lines: Vec<_> = tokenize("a\n/*\n*/ b \"\n\" c")
            .into_iter()
            .map(|t| (t.text, t.line))
            .collect();
        assert_eq!(lines, [("a".into(), 1), ("b".into(), 3), ("c".into(), 4)]);
    }
}
