//! What is told about one attempt to place an order: its span in the log, its metrics, and its entry in the audit trail where
//! its transaction wrote none. Never bodies, PINs, keys of the API, or notes.

use crate::app::App;
use crate::audit::Entry;
use crate::idempotency::PLACE_ORDER;
use crate::ordering::command::PlaceOrder;
use crate::ordering::outcome::Verdict;
use crate::refusal::Refusal;
use std::sync::Arc;
use std::time::Instant;
use tracing::Span;
use tracing::field::Empty;

/// The account of one attempt.
pub struct Account {
    /// Where.
    pub app: Arc<App>,
    /// What was asked.
    pub command: Arc<PlaceOrder>,
    /// Everything that is logged about it belongs here.
    pub span: Span,
    since: Instant,
}

impl Account {
    /// Opens the account of an attempt.
    pub fn open(app: Arc<App>, command: PlaceOrder) -> Arc<Self> {
        let span = tracing::info_span!(
            "placement",
            idempotency.key = %command.request,
            operation = PLACE_ORDER,
            tenant.id = %command.principal.tenant,
            table_session.id = %command.table_session,
            result = Empty,
            replay.reason = Empty,
            attempts = Empty,
            duration_ms = Empty,
        );
        Arc::new(Self {
            app,
            command: Arc::new(command),
            span,
            since: Instant::now(),
        })
    }

    /// Tells how many transactions it took.
    pub fn ran(&self, attempts: u32) {
        self.span.record("attempts", attempts);
    }

    /// Tells how it ended. An attempt that outlives the answer budget ends twice: for its guest, and for good.
    pub fn close(&self, answer: Result<Verdict, Refusal>) -> Result<Verdict, Refusal> {
        let took = self.since.elapsed();
        let word = match &answer {
            Ok(verdict) => verdict.word(),
            Err(refusal) => refusal.code().as_str(),
        };
        self.span.record("result", word);
        if let Ok(Verdict::Placed { replay: Some(by), .. }) = &answer {
            self.span.record("replay.reason", by.as_str());
        }
        self.span
            .record("duration_ms", u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        self.span.in_scope(|| tracing::debug!("placement ended"));
        self.app.metrics.placements.answered(&answer, took);
        self.note(word, &answer);
        answer
    }

    /// Notes what was not written inside a transaction: replays, joins, conflicts, failures.
    fn note(&self, word: &str, answer: &Result<Verdict, Refusal>) {
        let (result, order) = match answer {
            Ok(Verdict::Placed { replay: None, .. } | Verdict::Rejected { replay: false, .. }) => return,
            Ok(Verdict::Placed { receipt, .. }) => (word.to_owned(), Some(receipt.order_id)),
            Ok(Verdict::Rejected { .. }) => (format!("REPLAYED_{word}"), None),
            Ok(Verdict::Conflict(_)) | Err(_) => (word.to_owned(), None),
        };
        let now_ms = self.app.db.clock().now_ms();
        self.app.audit.note(Entry {
            request: Some(self.command.request),
            table_session: Some(self.command.table_session),
            order,
            ..Entry::by(&self.command.principal, PLACE_ORDER, &result, now_ms)
        });
    }
}
