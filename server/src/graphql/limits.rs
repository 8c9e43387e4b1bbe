//! What a document may ask for. Checked before anything runs, over the document with its fragments spread out; validation
//! and complexity come after it and may rely on it.

use async_graphql::Positioned;
use async_graphql::parser::types::{Directive, ExecutableDocument, Field, OperationType, Selection, SelectionSet};

/// Selections of the whole document. The introspection query of GraphiQL has about 300; the rest is for fragments that
/// spread one another: without a bound 30 of them make a document of a billion fields.
pub const MAX_SELECTIONS: usize = 2_000;
/// Fields inside fields. The deepest that a client needs, the price of a topping in a placed order, is the 7th.
pub const MAX_DEPTH: usize = 12;
/// Brackets and fragments inside one another; also stops fragments that spread in a circle.
pub const MAX_NESTING: usize = 32;
/// Aliases: enough for a page, too few to guess PINs with.
pub const MAX_ALIASES: usize = 30;
/// Fields of one operation's root.
pub const MAX_ROOT_FIELDS: usize = 20;
/// Directives of the whole document.
pub const MAX_DIRECTIVES: usize = 50;
/// Complexity: a page of 100 orders with everything that an order has comes to about 3,500.
pub const MAX_COMPLEXITY: usize = 5_000;
/// Lists of the schema inside one another in an introspection: each multiplies the answer by the size of the schema.
const MAX_INTROSPECTED_LISTS: usize = 2;
/// Mutations that place an order. One per document: two would commit one by one, and a later failure would leave half.
const PLACING: &[&str] = &["placeOrder"];

/// A document asks for more than anybody may. The text says which bound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Exceeded(pub String);

/// Checks a parsed document that came by POST, all operations of it.
///
/// *Errors*: the first bound that does not hold.
pub fn check(document: &ExecutableDocument) -> Result<(), Exceeded> {
    check_all(document, |operation| match operation {
        OperationType::Subscription => exceeded("subscriptions are served over /graphql/ws"),
        OperationType::Query | OperationType::Mutation => Ok(()),
    })
}

/// Checks a parsed document that came over a socket, all operations of it.
///
/// *Errors*: the first bound that does not hold.
pub fn check_watching(document: &ExecutableDocument) -> Result<(), Exceeded> {
    check_all(document, |operation| match operation {
        OperationType::Subscription => Ok(()),
        OperationType::Query | OperationType::Mutation => exceeded("only subscriptions are served over the socket"),
    })
}

fn check_all(
    document: &ExecutableDocument,
    served: impl Fn(OperationType) -> Result<(), Exceeded>,
) -> Result<(), Exceeded> {
    let mut count = Count::default();
    for (_, operation) in document.operations.iter() {
        let operation = &operation.node;
        served(operation.ty)?;
        count.root_fields = 0;
        count.directives(&operation.directives)?;
        for variable in &operation.variable_definitions {
            count.directives(&variable.node.directives)?;
        }
        let place = Place {
            root: Some(operation.ty),
            ..Place::default()
        };
        count.set(document, &operation.selection_set.node, place)?;
    }
    Ok(())
}

#[derive(Default)]
struct Count {
    selections: usize,
    aliases: usize,
    directives: usize,
    placings: usize,
    root_fields: usize,
}

/// Where in a document a selection stands.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The operation, at its root.
    root: Option<OperationType>,
    depth: usize,
    nesting: usize,
    introspection: bool,
    introspected_lists: usize,
}

impl Count {
    fn set(&mut self, document: &ExecutableDocument, set: &SelectionSet, place: Place) -> Result<(), Exceeded> {
        if place.nesting > MAX_NESTING {
            return exceeded(format!(
                "the document must nest at most {MAX_NESTING} deep, and no fragment may contain itself"
            ));
        }
        let inside = Place {
            nesting: place.nesting + 1,
            ..place
        };
        for selection in &set.items {
            bound(&mut self.selections, 1, MAX_SELECTIONS, "fields and fragments")?;
            self.directives(selection.node.directives())?;
            match &selection.node {
                Selection::Field(field) => self.field(document, &field.node, inside)?,
                Selection::InlineFragment(fragment) => {
                    self.set(document, &fragment.node.selection_set.node, inside)?;
                }
                Selection::FragmentSpread(spread) => {
                    // an unknown fragment is for the validation to tell
                    if let Some(fragment) = document.fragments.get(&spread.node.fragment_name.node) {
                        self.directives(&fragment.node.directives)?;
                        self.set(document, &fragment.node.selection_set.node, inside)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, document: &ExecutableDocument, field: &Field, mut place: Place) -> Result<(), Exceeded> {
        let name = field.name.node.as_str();
        if field.alias.is_some() {
            bound(&mut self.aliases, 1, MAX_ALIASES, "aliases")?;
        }
        if let Some(operation) = place.root.take() {
            bound(
                &mut self.root_fields,
                1,
                MAX_ROOT_FIELDS,
                "fields at the root of an operation",
            )?;
            if operation == OperationType::Mutation && PLACING.contains(&name) {
                bound(&mut self.placings, 1, 1, "order to place; send one request for each")?;
            }
            place.introspection = matches!(name, "__schema" | "__type");
        }
        place.depth += 1;
        if place.introspection {
            if matches!(name, "fields" | "inputFields" | "interfaces" | "possibleTypes") {
                let what = "lists inside one another in an introspection";
                bound(&mut place.introspected_lists, 1, MAX_INTROSPECTED_LISTS, what)?;
            }
        } else if place.depth > MAX_DEPTH {
            return exceeded(format!("the document must nest fields at most {MAX_DEPTH} deep"));
        }
        self.set(document, &field.selection_set.node, place)
    }

    fn directives(&mut self, directives: &[Positioned<Directive>]) -> Result<(), Exceeded> {
        bound(&mut self.directives, directives.len(), MAX_DIRECTIVES, "directives")
    }
}

fn bound(counter: &mut usize, more: usize, max: usize, what: &str) -> Result<(), Exceeded> {
    *counter += more;
    if *counter > max {
        return exceeded(format!("the document must have at most {max} {what}"));
    }
    Ok(())
}

fn exceeded(message: impl Into<String>) -> Result<(), Exceeded> {
    Err(Exceeded(message.into()))
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
