//! What is wrong with a file: where, which field, and what it must be.

use std::fmt;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A row as a spreadsheet counts it: the header is row 1, and a cell with line breaks does not count twice.
    Row(usize),
    /// A JSON path, as in `$.hasMenuSection[0].hasMenuItem[3]`.
    Path(String),
}

/// One reason why a file is not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// Which field: a column as the file's header names it, or a property. Empty when it is about the whole place.
    pub field: String,
    /// What is wrong: lower case, no full stop.
    pub message: String,
}

impl Problem {
    /// One about a field.
    pub fn new(place: Place, field: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place,
            field: field.into(),
            message: message.into(),
        }
    }

    /// One about the file as a whole.
    pub fn of_file(message: impl Into<String>) -> Self {
        Self::new(Place::File, "", message)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("file"),
            Self::Row(row) => write!(f, "row {row}"),
            Self::Path(path) => f.write_str(path),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, field, message } = self;
        match (place, field.is_empty()) {
            (_, true) => write!(f, "{place}: {message}"),
            (Place::Path(_), false) => write!(f, "{place}.{field}: {message}"),
            (_, false) => write!(f, "{place}, {field}: {message}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_place_and_field() {
        for (place, field, text) in [
            (Place::File, "", "file: is bad"),
            (Place::Row(12), "価格", "row 12, 価格: is bad"),
            (Place::Row(12), "", "row 12: is bad"),
            (Place::Path("$[0]".into()), "offers.price", "$[0].offers.price: is bad"),
        ] {
            assert_eq!(Problem::new(place, field, "is bad").to_string(), text);
        }
    }
}
