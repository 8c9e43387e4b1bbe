//! What an item costs, how many are left, and what schema.org has no word for.

use super::field;
use super::json::Json;
use super::json_ld::At;
use super::schema_org::{Offered, Reader};
use masterorder_protocol::money::Currency;

impl<'d> Reader<'_, 'd> {
    /// The one offer in the shop's currency; `None` when there is none, or something is wrong with it.
    pub(super) fn offered(&mut self, at: &At<'d>) -> Option<Offered> {
        let offers = self.values(at, "offers");
        let priced: Vec<_> = offers.into_iter().map(|offer| self.priced(offer)).collect();
        let currency = self.currency();
        let ours: Vec<_> = priced.iter().filter(|offer| offer.is_in(currency)).collect();
        let offer = match (&ours[..], &priced[..]) {
            ([offer], _) => offer,
            ([], [offer]) => offer,
            ([], []) => return None,
            (ours, all) => {
                let message = format!(
                    "has {} offers in {currency} of {}, but an item has one price: make sizes add-ons or items of their own",
                    ours.len(),
                    all.len()
                );
                self.problem(at, "offers", message);
                return None;
            }
        };
        let price_minor = self.price(offer);
        let stock = self.stock(&offer.offer);
        Some(Offered {
            price_minor: price_minor?,
            stock: stock.ok()?,
        })
    }

    /// A price may be in a `priceSpecification`.
    fn priced(&mut self, offer: At<'d>) -> Priced<'d> {
        let specification = self.values(&offer, "priceSpecification").into_iter().next();
        let price = match &specification {
            Some(specification) if offer.property("price").is_none() => specification.clone(),
            _ => offer.clone(),
        };
        Priced { offer, price }
    }

    fn price(&mut self, priced: &Priced<'d>) -> Option<i64> {
        let currency = self.currency();
        if priced.offer.is_a("AggregateOffer") {
            self.problem(
                &priced.offer,
                "",
                "must be one Offer with one price, not a range of prices",
            );
            return None;
        }
        let is_without_tax = |at: &At<'d>| {
            at.property("valueAddedTaxIncluded")
                .is_some_and(|v| *v.json == Json::Bool(false))
        };
        if let Some(at) = [&priced.price, &priced.offer].into_iter().find(|at| is_without_tax(at)) {
            self.problem(at, "valueAddedTaxIncluded", "must not be false: prices include tax");
        }
        match priced.currency() {
            None => {
                let message = format!("is missing: the prices of this shop are in {currency}");
                self.problem(&priced.price, "priceCurrency", message);
            }
            Some(other) if other != currency.as_str() => {
                let message = format!("must be {currency}, the shop's currency, not {other:?}");
                self.problem(&priced.price, "priceCurrency", message);
                return None;
            }
            Some(_) => {}
        }
        let price = priced.price.property("price");
        match price.as_ref().map(|price| price.json.scalar()) {
            None => {
                self.problem(&priced.price, "price", "is missing");
                None
            }
            Some(None) => {
                self.problem(&priced.price, "price", "must be a number or text");
                None
            }
            Some(Some(text)) => match field::price(text, currency) {
                Ok(minor) => Some(minor),
                Err(message) => {
                    self.problem(&priced.price, "price", message);
                    None
                }
            },
        }
    }

    /// `inventoryLevel`, a number or a QuantitativeValue.
    fn stock(&mut self, offer: &At<'d>) -> Result<Option<i64>, ()> {
        let Some(level) = self.values(offer, "inventoryLevel").into_iter().next() else {
            return Ok(None);
        };
        let value = level.property("value").unwrap_or(level);
        match value.json.scalar().map(field::stock) {
            Some(Ok(stock)) => Ok(Some(stock)),
            Some(Err(message)) => {
                self.problem(offer, "inventoryLevel", message);
                Err(())
            }
            None => {
                self.problem(
                    offer,
                    "inventoryLevel",
                    "must be a number, or a QuantitativeValue with a value",
                );
                Err(())
            }
        }
    }

    /// A value of `additionalProperty` by one of its names.
    pub(super) fn additional<T>(
        &mut self,
        at: &At<'d>,
        names: &[&str],
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let value = self.additional_value(at, names)?;
        match value.json.scalar().map(parse) {
            Some(Ok(value)) => Some(value),
            Some(Err(message)) => {
                self.problem(&value, "", message);
                None
            }
            None => {
                self.problem(&value, "", "must be a number or text");
                None
            }
        }
    }

    /// A list of texts of `additionalProperty` by one of its names.
    pub(super) fn additional_list(&mut self, at: &At<'d>, names: &[&str]) -> Option<Vec<String>> {
        let value = self.additional_value(at, names)?;
        let values = match value.json {
            Json::List(values) => value.elements(values),
            _ => vec![value],
        };
        let mut listed = Vec::with_capacity(values.len());
        for value in values {
            match value.json.text().map(|text| field::line(text, field::MAX_LABEL)) {
                Some(Ok(text)) if listed.contains(&text) => {}
                Some(Ok(text)) => listed.push(text),
                Some(Err(message)) => self.problem(&value, "", message),
                None => self.problem(&value, "", "must be text"),
            }
        }
        Some(listed)
    }

    fn additional_value(&mut self, at: &At<'d>, names: &[&str]) -> Option<At<'d>> {
        let places = std::iter::once(at.clone()).chain(self.values(at, "offers"));
        let mut properties: Vec<At<'d>> = Vec::new();
        for place in places.collect::<Vec<_>>() {
            properties.extend(self.values(&place, "additionalProperty"));
        }
        let is_named = |property: &At<'d>| {
            let name = property.property("name").or_else(|| property.property("propertyID"));
            name.and_then(|name| name.json.text())
                .is_some_and(|name| names.contains(&name))
        };
        properties.into_iter().find(is_named)?.property("value")
    }
}

/// An offer, and where its price is.
struct Priced<'d> {
    offer: At<'d>,
    price: At<'d>,
}

impl<'d> Priced<'d> {
    fn currency(&self) -> Option<&'d str> {
        let currency = |at: &At<'d>| at.property("priceCurrency")?.json.text();
        currency(&self.price).or_else(|| currency(&self.offer))
    }

    fn is_in(&self, currency: Currency) -> bool {
        self.currency() == Some(currency.as_str())
    }
}
