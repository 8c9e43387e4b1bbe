use anyhow::Context;
use qrcode::{Color, EcLevel, QrCode};

/// Light modules around the code, which cameras need to find it (ISO/IEC 18004).
const QUIET_ZONE: usize = 4;
/// Black on white from the part of the palette that no theme changes: on a dark terminal the code would be a negative.
const BLACK_ON_WHITE: &str = "\x1b[38;5;16;48;5;231m";
const AS_BEFORE: &str = "\x1b[0m";

/// What the code is drawn on.
#[derive(Clone, Copy)]
pub(super) enum Surface {
    /// A terminal, which understands colours.
    Terminal,
    /// A file or another program, which gets the bare blocks.
    Plain,
}

/// Draws a link: two modules per character, one above the other. A screen has no stains, so that the smallest code will do.
///
/// *Errors*: the link is longer than any code.
pub(super) fn draw(link: &str, surface: Surface) -> anyhow::Result<String> {
    let code = QrCode::with_error_correction_level(link, EcLevel::L).context("make a QR code")?;
    let inside = QUIET_ZONE..QUIET_ZONE + code.width();
    let side = inside.end + QUIET_ZONE;
    let is_dark = |x: usize, y: usize| {
        inside.contains(&x) && inside.contains(&y) && code[(x - QUIET_ZONE, y - QUIET_ZONE)] == Color::Dark
    };
    let (before, after) = match surface {
        Surface::Terminal => (BLACK_ON_WHITE, AS_BEFORE),
        Surface::Plain => ("", ""),
    };
    let mut drawn = String::new();
    for y in (0..side).step_by(2) {
        drawn += before;
        drawn.extend((0..side).map(|x| match (is_dark(x, y), is_dark(x, y + 1)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        }));
        drawn += after;
        drawn.push('\n');
    }
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "http://192.168.100.200:8080/#t=0192f3a4-5b6c-7d8e-9fa0-b1c2d3e4f506&p=1234";

    /// Reads a drawing back: for each module whether it is dark.
    fn modules(drawn: &str) -> Vec<Vec<bool>> {
        let halves = |line: &str, dark: [char; 2]| line.chars().map(|c| dark.contains(&c)).collect();
        drawn
            .lines()
            .flat_map(|line| [halves(line, ['█', '▀']), halves(line, ['█', '▄'])])
            .collect()
    }

    #[test]
    fn every_module_is_where_it_belongs_with_quiet_around_it() {
        let (Ok(code), Ok(drawn)) = (
            QrCode::with_error_correction_level(LINK, EcLevel::L),
            draw(LINK, Surface::Plain),
        ) else {
            panic!("no code");
        };
        let modules = modules(&drawn);
        let width = code.width();
        for (y, row) in modules.iter().enumerate() {
            assert_eq!(row.len(), width + 2 * QUIET_ZONE);
            for (x, &dark) in row.iter().enumerate() {
                let (x, y) = (x.wrapping_sub(QUIET_ZONE), y.wrapping_sub(QUIET_ZONE));
                let expected = x < width && y < width && code[(x, y)] == Color::Dark;
                assert_eq!(dark, expected, "{x} {y}");
            }
        }
        assert!(modules.len() >= width + 2 * QUIET_ZONE);
    }

    #[test]
    fn it_fits_into_a_small_window() {
        let drawn = draw(LINK, Surface::Plain).unwrap_or_default();
        assert!((1..24).contains(&drawn.lines().count()), "{drawn}");
        assert!(drawn.lines().all(|line| line.chars().count() < 80), "{drawn}");
    }

    #[test]
    fn a_terminal_gets_black_on_white_and_its_colours_back_on_every_line() {
        let (plain, coloured) = (
            draw(LINK, Surface::Plain).unwrap_or_default(),
            draw(LINK, Surface::Terminal).unwrap_or_default(),
        );
        assert!(!plain.is_empty() && !plain.contains('\x1b'));
        for (plain, coloured) in plain.lines().zip(coloured.lines()) {
            assert_eq!(coloured, format!("{BLACK_ON_WHITE}{plain}{AS_BEFORE}"));
        }
    }

    #[test]
    fn a_link_that_is_too_long_is_an_error() {
        assert!(draw(&"x".repeat(5_000), Surface::Plain).is_err());
    }
}
