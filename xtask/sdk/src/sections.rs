//! The sections of a WebAssembly module, as far as they are looked at here.
//!
//! *Source*: WebAssembly core specification, binary format; tool conventions, "target features section".

use anyhow::{Context, Result, ensure};

const PREAMBLE: usize = 8;
const CUSTOM: u8 = 0;
const TARGET_FEATURES: &str = "target_features";

/// Answers the names of all custom sections.
///
/// *Errors*: it is no WebAssembly module.
pub fn custom_names(module: &[u8]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    each(module, |id, body| {
        if id == CUSTOM {
            names.push(Reader(body).name()?);
        }
        Ok(())
    })?;
    Ok(names)
}

/// Answers the module with these features taken out of the list of what it uses.
///
/// *Errors*: it is no WebAssembly module, or has no such list.
pub fn without_features(module: &[u8], unwanted: &[&str]) -> Result<Vec<u8>> {
    let mut rewritten = module.get(..PREAMBLE).context("too short")?.to_vec();
    let mut found = false;
    each(module, |id, body| {
        let is_list = id == CUSTOM && Reader(body).name()? == TARGET_FEATURES;
        found |= is_list;
        let body = if is_list {
            filtered(body, unwanted)?
        } else {
            body.to_vec()
        };
        rewritten.push(id);
        write_number(&mut rewritten, body.len());
        rewritten.extend(body);
        Ok(())
    })?;
    ensure!(found, "the module does not say which features it uses");
    Ok(rewritten)
}

fn each(module: &[u8], mut visit: impl FnMut(u8, &[u8]) -> Result<()>) -> Result<()> {
    ensure!(module.starts_with(b"\0asm"), "no WebAssembly module");
    let mut reader = Reader(module.get(PREAMBLE..).context("too short")?);
    while !reader.0.is_empty() {
        let id = reader.byte()?;
        let length = reader.number()?;
        visit(id, reader.bytes(length)?)?;
    }
    Ok(())
}

fn filtered(section: &[u8], unwanted: &[&str]) -> Result<Vec<u8>> {
    let mut reader = Reader(section);
    reader.name()?;
    let mut kept = Vec::new();
    for _ in 0..reader.number()? {
        let prefix = reader.byte()?;
        let name = reader.name()?;
        if !unwanted.contains(&name.as_str()) {
            kept.push((prefix, name));
        }
    }
    let mut body = Vec::new();
    write_name(&mut body, TARGET_FEATURES);
    write_number(&mut body, kept.len());
    for (prefix, name) in kept {
        body.push(prefix);
        write_name(&mut body, &name);
    }
    Ok(body)
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn bytes(&mut self, length: usize) -> Result<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length).context("cut off")?;
        self.0 = rest;
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8> {
        self.bytes(1)?.first().copied().context("cut off")
    }

    /// An unsigned LEB128 number.
    fn number(&mut self) -> Result<usize> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        anyhow::bail!("a number is too long")
    }

    fn name(&mut self) -> Result<String> {
        let length = self.number()?;
        Ok(std::str::from_utf8(self.bytes(length)?)?.to_owned())
    }
}

fn write_number(to: &mut Vec<u8>, mut number: usize) {
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            return to.push(byte);
        }
        to.push(byte | 0x80);
    }
}

fn write_name(to: &mut Vec<u8>, name: &str) {
    write_number(to, name.len());
    to.extend(name.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module() -> Vec<u8> {
        let mut section = Vec::new();
        write_name(&mut section, TARGET_FEATURES);
        section.push(2);
        for name in ["multivalue", "sign-ext"] {
            section.push(b'+');
            write_name(&mut section, name);
        }
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        // a section of types that is empty but long enough for a number of two bytes
        module.extend([1, 0x80, 0x01]);
        module.extend([0; 128]);
        module.push(CUSTOM);
        write_number(&mut module, section.len());
        module.extend(section);
        module
    }

    #[test]
    fn unwanted_features_are_dropped_and_nothing_else() {
        let rewritten = without_features(&module(), &["multivalue"]).unwrap_or_default();
        assert_eq!(rewritten.len(), module().len() - "+.multivalue".len());
        assert!(!String::from_utf8_lossy(&rewritten).contains("multivalue"));
        assert!(String::from_utf8_lossy(&rewritten).contains("sign-ext"));
        assert_eq!(custom_names(&rewritten).ok(), Some(vec![TARGET_FEATURES.to_owned()]));
    }

    #[test]
    fn what_is_no_module_is_refused() {
        assert!(custom_names(b"hello, world").is_err());
        assert!(without_features(b"\0asm\x01\0\0\0", &[]).is_err());
    }
}
