//! Bytes of a file become text. CSV files come in UTF-8, with or without a byte order mark, or as Japanese POS systems write
//! them: in Shift_JIS, with the additions of Windows (①, ㈱, 髙). UTF-16 is what a spreadsheet calls "Unicode text".

use super::problem::{Place, Problem};
use encoding_rs::{DecoderResult, Encoding, SHIFT_JIS, UTF_8};

/// Decodes a CSV file.
///
/// *Errors*: the row that holds the first bytes which are no text in any of these encodings.
pub fn decode(bytes: &[u8]) -> Result<String, Problem> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return strictly(encoding, &bytes[mark..]);
    }
    match strictly(UTF_8, bytes) {
        Ok(text) => Ok(text),
        Err(in_utf_8) => match strictly(SHIFT_JIS, bytes) {
            Ok(text) => Ok(text),
            // the encoding that got further is the one that was meant
            Err(in_shift_jis) => Err(match in_utf_8.place > in_shift_jis.place {
                true => in_utf_8,
                false => in_shift_jis,
            }),
        },
    }
}

/// Decodes a JSON file. *Source*: RFC 8259 section 8.1: UTF-8; a byte order mark is no part of it but may be ignored.
pub fn decode_json(bytes: &[u8]) -> Result<String, Problem> {
    strictly(UTF_8, bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

fn strictly(encoding: &'static Encoding, bytes: &[u8]) -> Result<String, Problem> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let room = decoder.max_utf8_buffer_length_without_replacement(bytes.len());
    let mut text = String::with_capacity(room.unwrap_or(bytes.len()));
    match decoder.decode_to_string_without_replacement(bytes, &mut text, true) {
        (DecoderResult::InputEmpty, _) => Ok(text),
        (DecoderResult::Malformed(..) | DecoderResult::OutputFull, _) => {
            let row = text.matches('\n').count() + 1;
            let name = encoding.name();
            let message = format!("holds bytes that are no text in {name}: save the file as UTF-8");
            Err(Problem::new(Place::Row(row), "", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "商品名,価格\n①髙菜ラーメン ～大盛～,￥980\n";

    #[test]
    fn every_encoding_of_a_pos_export_gives_the_same_text() {
        let (shift_jis, _, lossy) = SHIFT_JIS.encode(TEXT);
        assert!(!lossy && shift_jis != TEXT.as_bytes());
        let mut utf_16 = vec![0xFF, 0xFE];
        utf_16.extend(TEXT.encode_utf16().flat_map(u16::to_le_bytes));
        let with_mark = format!("\u{feff}{TEXT}");
        for bytes in [TEXT.as_bytes(), with_mark.as_bytes(), &shift_jis, &utf_16] {
            assert_eq!(decode(bytes), Ok(TEXT.into()));
        }
        assert_eq!(decode(b""), Ok(String::new()));
    }

    #[test]
    fn bytes_that_are_no_text_are_named_by_their_row() {
        let mut bytes = "商品名\nお茶\n".as_bytes().to_vec();
        bytes.push(0xFF);
        let refused = Problem::new(
            Place::Row(3),
            "",
            "holds bytes that are no text in UTF-8: save the file as UTF-8",
        );
        assert_eq!(decode(&bytes), Err(refused.clone()));
        assert_eq!(decode_json(&bytes), Err(refused));

        let (mut shift_jis, _, _) = SHIFT_JIS.encode("商品名\nお茶\n");
        shift_jis.to_mut().push(0x81);
        let message = "holds bytes that are no text in Shift_JIS: save the file as UTF-8";
        assert_eq!(decode(&shift_jis), Err(Problem::new(Place::Row(3), "", message)));
    }
}
