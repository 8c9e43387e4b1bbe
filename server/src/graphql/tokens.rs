//! What a document may cost, counted before it is parsed: the parser works in the square of some documents and recurses
//! as deep as their brackets go.

use super::limits::{Exceeded, MAX_NESTING};

/// Tokens of a document. An order of 100 lines with 3 toppings each, written without variables, has about 4,000.
pub const MAX_TOKENS: usize = 5_000;

/// Bytes of a name or number. Unknown names come back in messages, compared with every known one.
pub const MAX_WORD_BYTES: usize = 200;

/// Counts tokens and brackets.
///
/// *Errors*: more than `MAX_TOKENS` tokens, brackets deeper than `MAX_NESTING`, or a longer word than any. Whether the text is GraphQL at all is
/// for the parser.
pub fn check(document: &str) -> Result<(), Exceeded> {
    let mut rest = document.as_bytes();
    let (mut tokens, mut depth) = (0_usize, 0_usize);
    while let [first, tail @ ..] = rest {
        match first {
            b' ' | b'\t' | b'\r' | b'\n' | b',' => {
                rest = tail;
                continue;
            }
            b'#' => {
                rest = after(tail, |byte| matches!(byte, b'\r' | b'\n'));
                continue;
            }
            b'{' | b'[' | b'(' => {
                depth += 1;
                rest = tail;
            }
            b'}' | b']' | b')' => {
                depth = depth.saturating_sub(1);
                rest = tail;
            }
            b'"' => rest = after_string(rest),
            // three of them are one token
            b'.' => rest = after(tail, |byte| byte != b'.'),
            _ if is_word(*first) => {
                rest = after(tail, |byte| !is_word(byte));
                if tail.len() - rest.len() >= MAX_WORD_BYTES {
                    return Err(Exceeded(format!(
                        "the document must have names of at most {MAX_WORD_BYTES} bytes"
                    )));
                }
            }
            _ => rest = tail,
        }
        tokens += 1;
        if tokens > MAX_TOKENS {
            return Err(Exceeded(format!(
                "the document must have at most {MAX_TOKENS} tokens; use variables"
            )));
        }
        if depth > MAX_NESTING {
            return Err(Exceeded(format!(
                "the document must nest at most {MAX_NESTING} brackets deep"
            )));
        }
    }
    Ok(())
}

/// Names, numbers, and every byte of a character that is no ASCII.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | 0x80..)
}

fn after(text: &[u8], ends: impl Fn(u8) -> bool) -> &[u8] {
    let end = text.iter().position(|byte| ends(*byte)).unwrap_or(text.len());
    &text[end..]
}

fn after_string(text: &[u8]) -> &[u8] {
    const BLOCK: &[u8] = br#"""""#;
    let (quote, escaped): (&[u8], &[u8]) = if text.starts_with(BLOCK) {
        (BLOCK, br#"\""""#)
    } else {
        (br#"""#, br#"\""#)
    };
    let mut rest = &text[quote.len()..];
    while !rest.is_empty() {
        if rest.starts_with(quote) {
            return &rest[quote.len()..];
        }
        let step = match quote.len() {
            _ if rest.starts_with(escaped) => escaped.len(),
            1 if rest.starts_with(br"\") => 2,
            _ => 1,
        };
        rest = rest.get(step..).unwrap_or_default();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(document: &str) -> bool {
        check(document).is_ok()
    }

    #[test]
    fn tokens_are_counted() {
        assert!(fits(&"a ".repeat(MAX_TOKENS)));
        assert!(!fits(&"a ".repeat(MAX_TOKENS + 1)));
        assert!(!fits(&"@skip(if:false)".repeat(10_000)));
        assert!(!fits(&"a:b ".repeat(5_000)));
    }

    #[test]
    fn white_space_commas_and_comments_are_free() {
        assert!(fits(&format!("{}a", " ,\t\r\n".repeat(MAX_TOKENS))));
        assert!(fits(&format!("#{}\n{{a}}", "x y ".repeat(MAX_TOKENS))));
        assert!(fits(&"... ".repeat(MAX_TOKENS)));
    }

    #[test]
    fn a_word_has_a_length() {
        for word in ["a", "_", "7", "-", "\u{e9}"] {
            let fitting = MAX_WORD_BYTES / word.len();
            assert!(fits(&word.repeat(fitting)), "{word}");
            assert!(!fits(&word.repeat(fitting + 1)), "{word}");
        }
    }

    #[test]
    fn brackets_are_measured() {
        for (open, close) in [("{", "}"), ("[", "]"), ("(", ")"), ("[{", "}]")] {
            let depth = MAX_NESTING / open.len();
            assert!(fits(&format!("{}{}", open.repeat(depth), close.repeat(depth))));
            assert!(!fits(&open.repeat(depth + 1)));
        }
        assert!(fits(&"{}".repeat(MAX_NESTING * 2)));
    }

    #[test]
    fn a_string_is_one_token_whatever_is_in_it() {
        let brackets = "{ [ ( ".repeat(MAX_TOKENS);
        assert!(fits(&format!("\"{brackets}\"")));
        assert!(fits(&format!("\"\\\"{brackets}\"")));
        assert!(fits(&format!("\"\\\\\" \"{brackets}\"")));
        assert!(fits(&format!("\"\"\"\" \\\"\"\" {brackets}\"\"\"")));
        assert!(fits(&format!("\"{brackets}")));
        assert!(fits("\"\\"));
        assert!(!fits(&format!("\"\\\\\" {brackets}")));
        assert!(!fits(&format!("\"\" {brackets}")));
        assert!(!fits(&format!("\"\"\"\"\"\" {brackets}")));
    }
}
