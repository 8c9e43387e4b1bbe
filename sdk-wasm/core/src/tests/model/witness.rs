//! Remembers what guests were told, and holds it against what the server knows.

use super::dishes::FOREIGN;
use super::server::{Server, Standing, Stored};
use super::shell::Settled;
use crate::code::Code;
use crate::effect::{Blocked, Outcome};
use crate::handle::{Id, Paper};
use crate::line;
use std::format;
use std::string::String;
use std::vec::Vec;

/// What guests were told for good.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Witness {
    told: Vec<(Id, Told)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Told {
    Placed(Paper),
    /// No order comes of this key, ever.
    Never,
}

impl Witness {
    /// A guest is told something.
    ///
    /// *Errors*: the server knows otherwise, now.
    pub(crate) fn hear(&mut self, settled: &Settled, server: &Server) -> Result<(), String> {
        let Some(key) = &settled.key else { return Ok(()) };
        let lie = || {
            Err(format!(
                "told {:?}, but the server knows {:?}",
                settled.outcome,
                server.find(key)
            ))
        };
        let stands = server.find(key);
        let told = match &settled.outcome {
            Outcome::Placed { order, .. } => {
                let meant = settled.slot.as_ref().is_none_or(|slot| {
                    usize::try_from(order.0 - 1)
                        .ok()
                        .and_then(|n| server.orders.get(n))
                        .is_some_and(|order| {
                            Some(order.checkout) == slot.cart.checkout_id
                                && line::are_same(&order.lines, &slot.cart.lines)
                        })
                });
                if stands != Some(&Stored::Order(*order)) || !meant {
                    return lie();
                }
                Told::Placed(*order)
            }
            Outcome::Rejected { code, .. } if stands == Some(&Stored::Rejected(*code)) => Told::Never,
            Outcome::Rejected { .. } => return lie(),
            Outcome::Refused {
                code: Code::IDEMPOTENCY_KEY_REUSED,
                ..
            } => return lie(),
            Outcome::Refused { .. } | Outcome::Blocked(Blocked::TooOld) => match stands {
                Some(Stored::Order(_) | Stored::Pending(_)) => return lie(),
                _ => Told::Never,
            },
            _ => return Ok(()),
        };
        match self.told.iter().find(|(k, _)| k == key) {
            Some((_, before)) if *before != told => Err(format!("told {told:?} after {before:?}")),
            _ => {
                self.told.push((*key, told));
                Ok(())
            }
        }
    }

    /// Everything is over: what was told must still be true, and every order must have been told.
    ///
    /// *Errors*: what is not.
    pub(crate) fn close(&self, server: &Server, nothing_forgotten: bool) -> Result<(), String> {
        for (key, told) in &self.told {
            let stands = server.find(key);
            let holds = match told {
                Told::Placed(order) => stands == Some(&Stored::Order(*order)),
                Told::Never => !matches!(stands, Some(Stored::Order(_) | Stored::Pending(_))),
            };
            if !holds {
                return Err(format!(
                    "{key:?} was told {told:?}, and in the end the server knows {stands:?}"
                ));
            }
        }
        let orders: Vec<_> = server.orders.iter().filter(|o| o.standing != Standing::Void).collect();
        for (i, order) in orders.iter().enumerate() {
            let twin = orders[..i]
                .iter()
                .any(|o| o.checkout == order.checkout || o.key == order.key);
            if twin {
                return Err(format!("the kitchen got a second ticket: {order:?}"));
            }
            let foreign = order.key.0 >= FOREIGN;
            if nothing_forgotten && !foreign && !self.told.iter().any(|(key, _)| *key == order.key) {
                return Err(format!("nobody was told of {order:?}"));
            }
        }
        Ok(())
    }
}
