//! Documents that were parsed and found within the limits. Clients send the same few again and again, each time with other
//! variables.

use super::limits::{self, Exceeded};
use super::tokens;
use async_graphql::Request;
use async_graphql::parser::types::ExecutableDocument;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Documents at most. Who sends ever new ones makes all be parsed again, as if there were no cache.
const DOCUMENTS: usize = 256;
/// The longest document that is kept. *Units*: bytes.
const LONGEST: usize = 8 * 1024;

/// The documents.
#[derive(Default)]
pub struct Documents(Mutex<HashMap<Box<str>, Arc<ExecutableDocument>>>);

impl Documents {
    /// Parses the document of a request, or finds it. A document that can not be parsed is left to the execution, which says so.
    ///
    /// *Errors*: it asks for more than anybody may.
    pub fn parse(&self, request: &mut Request) -> Result<(), Exceeded> {
        let known = self.known().get(request.query.as_str()).cloned();
        if let Some(document) = known {
            request.set_parsed_query((*document).clone());
            return Ok(());
        }
        // before the parser sees it: the parser recurses as deep as the brackets go
        tokens::check(&request.query)?;
        let Ok(document) = request.parsed_query() else {
            return Ok(());
        };
        limits::check(document)?;
        let document = Arc::new(document.clone());
        if request.query.len() <= LONGEST {
            let mut known = self.known();
            if known.len() >= DOCUMENTS {
                known.clear();
            }
            known.insert(request.query.as_str().into(), document);
        }
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<ExecutableDocument>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(documents: &Documents, query: &str) -> Request {
        let mut request = Request::new(query);
        assert!(documents.parse(&mut request).is_ok(), "{query}");
        request
    }

    #[test]
    fn a_document_is_parsed_once_and_kept_as_it_is() {
        let documents = Documents::default();
        let query = "query($a: Int) { menu { a: id(x: $a) ...F } } fragment F on Menu { b }";
        let mut first = parsed(&documents, query);
        let kept = documents.known().len();
        let mut second = parsed(&documents, query);
        let shape = |request: &mut Request| format!("{:?}", request.parsed_query().ok());
        assert_eq!(shape(&mut first), shape(&mut second));
        assert_eq!((kept, documents.known().len()), (1, 1));
    }

    #[test]
    fn what_is_refused_is_refused_again() {
        let documents = Documents::default();
        let greedy = format!("{{ {} }}", "a ".repeat(50_000));
        for _ in 0..2 {
            assert!(documents.parse(&mut Request::new(&greedy)).is_err());
        }
        parsed(&documents, "{ not closed");
        assert!(documents.known().is_empty());
    }

    #[test]
    fn there_are_never_more_than_fit() {
        let documents = Documents::default();
        for n in 0..=DOCUMENTS {
            parsed(&documents, &format!("{{ a{n} }}"));
        }
        assert_eq!(documents.known().len(), 1);
        parsed(&documents, &format!("{{ a }} {}", " ".repeat(LONGEST)));
        assert_eq!(documents.known().len(), 1);
    }
}
