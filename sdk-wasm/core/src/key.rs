//! Idempotency keys as the server takes them: UUIDs of version 4. For the shell, which keeps their spelling.

/// Random bytes for one key, from the browser's `crypto.getRandomValues` (which exists where `randomUUID` does not).
pub type RandomBytes = [u8; 16];

/// Writes a UUID v4. *Shape*: ASCII, lower case, with hyphens.
pub fn v4(mut random: RandomBytes) -> [u8; 36] {
    random[6] = random[6] & 0x0f | 0x40;
    random[8] = random[8] & 0x3f | 0x80;
    let mut text = [b'-'; 36];
    let mut letters = text
        .iter_mut()
        .enumerate()
        .filter(|(i, _)| !is_hyphen(*i))
        .map(|(_, letter)| letter);
    for byte in random {
        for nibble in [byte >> 4, byte & 0x0f] {
            if let Some(letter) = letters.next() {
                *letter = if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble };
            }
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
