//! What guests write: kept as sent, counted in Unicode scalar values, compared in one form.

use super::*;

/// An order whose only line has a note.
fn line_noting(note: &str) -> RawOrder {
    order(&[RawLine {
        note: Some(note.into()),
        ..line(RAMEN, 1, &[])
    }])
}

#[test]
fn a_note_is_counted_in_unicode_scalar_values() {
    for character in ["a", "あ", "👍", "𠮷"] {
        let full = character.repeat(500);
        assert_eq!(by_guest(noting(one_ramen(), &full)).note.as_sent(), full);
        assert_eq!(
            refused(&noting(one_ramen(), &character.repeat(501)), &guest()),
            (
                "note".into(),
                "must be at most 500 characters (Unicode scalar values), not 501".into()
            ),
            "{character}"
        );
    }
}

#[test]
fn a_line_note_is_counted_in_unicode_scalar_values() {
    for character in ["a", "あ", "👍"] {
        let full = character.repeat(100);
        assert_eq!(by_guest(line_noting(&full)).lines[0].note.as_sent(), full);
        assert_eq!(
            refused(&line_noting(&character.repeat(101)), &guest()),
            (
                "lines[0].note".into(),
                "must be at most 100 characters (Unicode scalar values), not 101".into()
            ),
            "{character}"
        );
    }
}

#[test]
fn a_note_is_counted_as_sent_not_as_compared() {
    // か and a combining voiced mark: two scalar values that NFC makes one
    let decomposed = "か\u{3099}";
    assert!(parse(&noting(one_ramen(), &decomposed.repeat(250)), &guest(), minted()).is_ok());
    assert_eq!(refused_at(&noting(one_ramen(), &decomposed.repeat(251))), "note");
    // white space around the words counts, white space alone says nothing
    assert_eq!(
        refused_at(&noting(one_ramen(), &format!("a{}", " ".repeat(500)))),
        "note"
    );
    assert!(parse(&noting(one_ramen(), &" ".repeat(501)), &guest(), minted()).is_ok());
}

#[test]
fn the_nul_character_is_refused_at_its_path() {
    let message = String::from("must not hold the character U+0000");
    for note in ["\0", "no\0onion"] {
        assert_eq!(
            refused(&noting(one_ramen(), note), &guest()),
            ("note".into(), message.clone())
        );
        assert_eq!(
            refused(&line_noting(note), &guest()),
            ("lines[0].note".into(), message.clone())
        );
    }
}

#[test]
fn odd_notes_are_kept_byte_for_byte() {
    for note in [
        "よろしく🤞🏼👨‍👩‍👧‍👦 ﷽ 𠮷",
        "\u{202e}abc",
        "\u{200d}",
        "no onion\r\n2026-01-01 ERROR order.placed",
        "<img src=x onerror=alert(1)>",
        "'; DROP TABLE orders; --",
        "\u{feff}bom",
        "か\u{3099}",
        "\u{7}bell\u{1b}[31m",
        "  padded\n",
        "\u{10ffff}",
    ] {
        let command = by_guest(noting(one_ramen(), note));
        assert_eq!(command.note.as_sent(), note);
        assert_eq!(by_guest(line_noting(note)).lines[0].note.as_sent(), note);
    }
}

#[test]
fn invisible_characters_are_words_and_white_space_is_not() {
    assert!(!by_guest(noting(one_ramen(), "\u{200d}")).note.is_blank());
    for blank in ["", " ", "\r\n\t", "\u{3000}", "\u{a0}"] {
        let note = by_guest(noting(one_ramen(), blank)).note;
        assert!(note.is_blank(), "{blank:?}");
        assert_eq!(note.as_sent(), "", "{blank:?}");
    }
}

#[test]
fn lines_that_differ_in_spelling_only_merge_and_keep_the_first_spelling() {
    let noted = |note: &str| RawLine {
        note: Some(note.into()),
        ..line(RAMEN, 1, &[])
    };
    let command = by_guest(order(&[noted("か\u{3099}"), noted("が "), noted("ga")]));
    let lines: Vec<_> = command
        .lines
        .iter()
        .map(|l| (l.index, l.quantity, l.note.as_sent()))
        .collect();
    assert_eq!(lines, [(0, 2, "か\u{3099}"), (2, 1, "ga")]);
}
