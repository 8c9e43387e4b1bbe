//! CSV becomes rows of cells. *Source*: RFC 4180, read strictly: a quote that is never closed would swallow the rest of a
//! menu, so it is an error that names its row. Rows are counted as a spreadsheet counts them, blank ones included.

use super::problem::{Place, Problem};
use std::iter::Peekable;
use std::str::Chars;

/// A row that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The header is row 1.
    pub number: usize,
    /// Trimmed.
    pub cells: Vec<String>,
}

/// Reads all rows that are not blank. Cells are separated by commas, or by tabs if the first line has tabs and no commas.
///
/// *Errors*: a quoted cell does not end, or text follows its closing quote.
pub fn rows(text: &str) -> Result<Vec<Row>, Problem> {
    let first_line = text.lines().next().unwrap_or_default();
    let separator = match first_line.contains('\t') && !first_line.contains(',') {
        true => '\t',
        false => ',',
    };
    let mut rows = Vec::new();
    let mut rest = text.chars().peekable();
    for number in 1.. {
        if rest.peek().is_none() {
            break;
        }
        let cells = record(&mut rest, separator).map_err(|message| Problem::new(Place::Row(number), "", message))?;
        if cells.iter().any(|cell| !cell.is_empty()) {
            rows.push(Row { number, cells });
        }
    }
    Ok(rows)
}

fn record(rest: &mut Peekable<Chars<'_>>, separator: char) -> Result<Vec<String>, &'static str> {
    let mut cells = Vec::new();
    loop {
        let cell = match rest.next_if_eq(&'"') {
            Some(_) => quoted(rest)?,
            None => {
                let mut cell = String::new();
                while let Some(c) = rest.next_if(|c| *c != separator && *c != '\n' && *c != '\r') {
                    cell.push(c);
                }
                cell
            }
        };
        cells.push(plain(&cell));
        match rest.next() {
            Some(c) if c == separator => {}
            Some('\r') => {
                rest.next_if_eq(&'\n');
                return Ok(cells);
            }
            Some('\n') | None => return Ok(cells),
            Some(_) => return Err("has text after the closing quote of a cell"),
        }
    }
}

fn quoted(rest: &mut Peekable<Chars<'_>>) -> Result<String, &'static str> {
    let mut cell = String::new();
    loop {
        match rest.next() {
            Some('"') if rest.next_if_eq(&'"').is_none() => return Ok(cell),
            Some(c) => cell.push(c),
            None => return Err("has a quoted cell that does not end"),
        }
    }
}

/// Without white space around, and without the `="…"` by which exports keep the zeros in front of a code.
fn plain(cell: &str) -> String {
    let cell = cell.trim();
    let code = cell.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"'));
    code.unwrap_or(cell).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<(usize, Vec<String>)> {
        let rows = rows(text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        rows.into_iter().map(|row| (row.number, row.cells)).collect()
    }

    fn row(number: usize, cells: &[&str]) -> (usize, Vec<String>) {
        (number, cells.iter().map(|cell| cell.to_string()).collect())
    }

    #[test]
    fn cells_come_quoted_or_not() {
        let text = "a, b ,c\r\n\"x,\"\"y\"\"\",\"line\nbreak\",　z　\n";
        let read = [row(1, &["a", "b", "c"]), row(2, &["x,\"y\"", "line\nbreak", "z"])];
        assert_eq!(cells(text), read);
        assert_eq!(cells("a\tb, c\td"), [row(1, &["a\tb", "c\td"])]);
        assert_eq!(cells("a\tb\n1,5\t2"), [row(1, &["a", "b"]), row(2, &["1,5", "2"])]);
        assert_eq!(
            cells("5\" pipe,b\rc,"),
            [row(1, &["5\" pipe", "b"]), row(2, &["c", ""])]
        );
        assert_eq!(cells("=\"0012\",\"=\"\"0013\"\"\""), [row(1, &["0012", "0013"])]);
    }

    #[test]
    fn rows_are_counted_as_a_spreadsheet_counts_them() {
        let text = "a,b\n\n,\n\"1\n2\",x\n3,y\n\n";
        assert_eq!(
            cells(text),
            [row(1, &["a", "b"]), row(4, &["1\n2", "x"]), row(5, &["3", "y"])]
        );
        assert_eq!(cells(""), []);
    }

    #[test]
    fn broken_quotes_are_named_by_their_row() {
        let broken = |row, message: &str| Err(Problem::new(Place::Row(row), "", message));
        assert_eq!(
            rows("a,b\n1,\"2\n3,4\n"),
            broken(2, "has a quoted cell that does not end")
        );
        assert_eq!(
            rows("a,b\n1,\"2\"x\n"),
            broken(2, "has text after the closing quote of a cell")
        );
    }
}
