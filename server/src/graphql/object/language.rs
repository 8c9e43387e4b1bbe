//! Languages.

use crate::graphql::caller::Caller;
use crate::lang::{Lang, LocalText};
use async_graphql::{Context, Enum};

/// A language that the shop's texts exist in.
#[derive(Enum, Debug, Clone, Copy, PartialEq, Eq)]
#[graphql(remote = "Lang")]
pub enum Language {
    /// Japanese.
    Ja,
    /// English.
    En,
}

/// Renders a text: in the language asked for, else in that of the `Accept-Language` header.
pub(super) fn render(text: &LocalText, ctx: &Context<'_>, lang: Option<Language>) -> String {
    text.get(lang.map_or(Caller::of(ctx).lang, Lang::from)).to_owned()
}
