//! What a person needs to go on after a "no".

use super::int;
use super::language::{Language, render};
use super::money::Money;
use crate::ordering::outcome::{self, CurrentPrice, Subject};
use async_graphql::{Context, Description, Enum, ID, Object};
use masterorder_protocol::money::Currency;

/// What an id stands for.
#[derive(Enum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// A dish or drink.
    Item,
    /// An extra.
    Topping,
}

impl From<Subject> for SubjectKind {
    fn from(subject: Subject) -> Self {
        match subject {
            Subject::Item(_) => Self::Item,
            Subject::Topping(_) => Self::Topping,
        }
    }
}

/// An item or topping that is short.
#[derive(Description)]
pub struct Shortage<'r>(pub &'r outcome::Shortage);

#[Object(use_type_description)]
impl Shortage<'_> {
    /// What it is.
    async fn kind(&self) -> SubjectKind {
        self.0.subject.into()
    }

    /// Its id.
    async fn id(&self) -> ID {
        self.0.subject.id().into()
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.0.name, ctx, lang)
    }

    /// Pieces that the whole order asked for.
    async fn requested(&self) -> i32 {
        int(self.0.requested)
    }

    /// Pieces that were left.
    async fn left(&self) -> i32 {
        int(self.0.left)
    }
}

/// An item or topping that is off the menu.
#[derive(Description)]
pub struct UnavailableItem<'r>(pub &'r outcome::Named);

#[Object(use_type_description)]
impl UnavailableItem<'_> {
    /// What it is.
    async fn kind(&self) -> SubjectKind {
        self.0.subject.into()
    }

    /// Its id.
    async fn id(&self) -> ID {
        self.0.subject.id().into()
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.0.name, ctx, lang)
    }
}

/// The price of a line as it is.
#[derive(Description)]
pub struct CurrentLine<'r> {
    /// The price.
    pub line: &'r CurrentPrice,
    /// Its currency.
    pub currency: Currency,
}

#[Object(use_type_description)]
impl CurrentLine<'_> {
    /// Position of its first appearance in the input, from 0.
    async fn line(&self) -> i32 {
        i32::try_from(self.line.line).unwrap_or(i32::MAX)
    }

    /// Which item.
    async fn menu_item_id(&self) -> ID {
        self.line.item.into()
    }

    /// Its name.
    async fn name(&self, ctx: &Context<'_>, lang: Option<Language>) -> String {
        render(&self.line.name, ctx, lang)
    }

    /// One piece with its toppings.
    async fn unit_price(&self) -> Money {
        Money::new(self.line.unit_price_minor, self.currency)
    }

    /// All pieces.
    async fn line_total(&self) -> Money {
        Money::new(self.line.line_total_minor, self.currency)
    }
}
