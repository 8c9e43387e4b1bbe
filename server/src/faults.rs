//! Faults that tests inject at named steps of a placement: pauses for a SIGKILL, panics, real database errors, a lost
//! COMMIT answer. Compiled out of release builds (a Cargo feature would be unified into every build of the workspace).

use crate::store::{Failure, Txn};

/// The faults of one application.
#[derive(Clone, Default)]
pub struct Faults {
    #[cfg(debug_assertions)]
    rules: std::sync::Arc<std::sync::Mutex<Vec<armed::Rule>>>,
}

impl Faults {
    /// Called at every step; does nothing unless a test armed a fault there.
    #[cfg(not(debug_assertions))]
    pub async fn at(&self, _step: &str, _txn: Option<&Txn>) -> Result<(), Failure> {
        Ok(())
    }

    /// The answer of this COMMIT is to be lost.
    #[cfg(not(debug_assertions))]
    pub fn loses_commit(&self) -> bool {
        false
    }
}

#[cfg(debug_assertions)]
pub use armed::InvalidFault;

#[cfg(debug_assertions)]
mod armed {
    use super::{Failure, Faults, Txn};
    use std::sync::PoisonError;
    use std::time::Duration;

    pub struct Rule {
        step: String,
        action: Action,
        left: u32,
    }

    #[derive(Clone)]
    enum Action {
        Sleep(Duration),
        /// Says so on standard error and waits for the SIGKILL.
        Pause,
        /// Says so on standard error, for whoever cuts a wire meanwhile, and goes on after a while.
        Stall(Duration),
        Panic,
        Fail(Failure),
        Sqlstate(String),
        LoseCommit,
    }

    /// A text that describes no fault.
    #[derive(Debug, thiserror::Error)]
    #[error("no fault: {0:?}; write STEP=ACTION[*TIMES], as in claim=sleep:500*3")]
    pub struct InvalidFault(String);

    impl Faults {
        /// Arms faults: `STEP=ACTION[*TIMES]`, separated by `;`. Actions: `sleep:MS`, `pause`, `stall:MS`, `panic`,
        /// `busy`, `vanish`, `sqlstate:CODE`, and for the step `commit` also `lose`.
        pub fn arm(&self, text: &str) -> Result<(), InvalidFault> {
            for part in text.split(';').filter(|p| !p.trim().is_empty()) {
                let rule = parse(part.trim()).ok_or_else(|| InvalidFault(part.to_owned()))?;
                self.rules.lock().unwrap_or_else(PoisonError::into_inner).push(rule);
            }
            Ok(())
        }

        /// Disarms everything.
        pub fn clear(&self) {
            self.rules.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }

        /// A fault at this step has not been met as often as it was armed for. A fault that was armed once has been met, or
        /// is being met, when this is false.
        pub fn is_armed(&self, step: &str) -> bool {
            let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
            rules.iter().any(|r| r.step == step)
        }

        /// Called at every step; does nothing unless a test armed a fault there.
        pub async fn at(&self, step: &str, txn: Option<&Txn>) -> Result<(), Failure> {
            match self.take(step, |a| !matches!(a, Action::LoseCommit)) {
                None | Some(Action::LoseCommit) => Ok(()),
                Some(Action::Sleep(time)) => {
                    tokio::time::sleep(time).await;
                    Ok(())
                }
                Some(Action::Pause) => {
                    eprintln!("paused at {step}");
                    std::future::pending().await
                }
                Some(Action::Stall(time)) => {
                    eprintln!("paused at {step}");
                    tokio::time::sleep(time).await;
                    Ok(())
                }
                Some(Action::Panic) => panic!("injected panic at {step}"),
                Some(Action::Fail(failure)) => Err(failure),
                Some(Action::Sqlstate(code)) => Err(match txn {
                    Some(txn) => txn.raise(&code).await.unwrap_or(Failure::Busy),
                    None => Failure::Busy,
                }),
            }
        }

        /// The answer of this COMMIT is to be lost.
        pub fn loses_commit(&self) -> bool {
            self.take("commit", |a| matches!(a, Action::LoseCommit)).is_some()
        }

        fn take(&self, step: &str, wanted: impl Fn(&Action) -> bool) -> Option<Action> {
            let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
            let at = rules.iter().position(|r| r.step == step && wanted(&r.action))?;
            rules[at].left -= 1;
            if rules[at].left == 0 {
                return Some(rules.remove(at).action);
            }
            Some(rules[at].action.clone())
        }
    }

    fn parse(text: &str) -> Option<Rule> {
        let (step, action) = text.split_once('=')?;
        let (action, left) = match action.split_once('*') {
            Some((action, times)) => (action, times.parse().ok().filter(|n| *n > 0)?),
            None => (action, 1),
        };
        let action = match action.split_once(':') {
            Some(("sleep", ms)) => Action::Sleep(Duration::from_millis(ms.parse().ok()?)),
            Some(("stall", ms)) => Action::Stall(Duration::from_millis(ms.parse().ok()?)),
            Some(("sqlstate", code)) => Action::Sqlstate(code.to_owned()),
            None if action == "pause" => Action::Pause,
            None if action == "panic" => Action::Panic,
            None if action == "busy" => Action::Fail(Failure::Busy),
            None if action == "vanish" => Action::Fail(Failure::ConnectionLost),
            None if action == "lose" && step == "commit" => Action::LoseCommit,
            _ => return None,
        };
        Some(Rule {
            step: step.to_owned(),
            action,
            left,
        })
    }
}
