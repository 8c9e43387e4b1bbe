//! Idempotency keys as the server takes them: UUIDs of version 4. For the shell, which keeps their spelling.

use alloc::string::String;

/// Random bytes for one key, from the browser's `crypto.getRandomValues` (which exists where `randomUUID` does not).
pub type RandomBytes = [u8; 16];

/// Writes a UUID v4. *Shape*: lower case, with hyphens.
pub fn v4(mut random: RandomBytes) -> String {
    random[6] = random[6] & 0x0f | 0x40;
    random[8] = random[8] & 0x3f | 0x80;
    let mut text = String::new();
    for byte in random {
        if is_hyphen(text.len()) {
            text.push('-');
        }
        for nibble in [byte >> 4, byte & 0x0f] {
            text.push(char::from(if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble }));
        }
    }
    text
}

/// The server would take it for a key. Upper and lower case are the same key: the shell keeps the lower one.
pub fn is_v4(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, byte)| match i {
            14 => byte == b'4',
            19 => matches!(byte, b'8' | b'9' | b'a' | b'b' | b'A' | b'B'),
            _ if is_hyphen(i) => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_hyphen(i: usize) -> bool {
    matches!(i, 8 | 13 | 18 | 23)
}
