//! What can happen.

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Move {
    /// The guest taps.
    Submit,
    /// The guest taps with other words.
    SubmitOther,
    /// The guest taps in a page that does not know the words any more.
    SubmitAgain,
    /// The guest adds something to the cart.
    Edit,
    /// The guest says yes.
    Confirm,
    /// The guest says no.
    Decline,
    /// The guest wants it back.
    Withdraw,
    /// The page gives up.
    Abort,
    /// The page is loaded again, and resumes.
    Reload,
    /// The request arrives, and so does its answer.
    Answer,
    /// The request arrives; its answer does not.
    Mute,
    /// The request does not arrive.
    Drop,
    /// The request arrives some time; the page stops waiting first.
    Hang,
    /// The server is in trouble.
    Trouble,
    /// The server does not know the guest.
    Stranger,
    /// A late request arrives.
    Late,
    /// The pause is over.
    Time,
    /// The browser says that the network is back.
    Online,
    /// The page sleeps for three minutes.
    Sleep,
    /// Another phone orders the same.
    OtherPhone,
    /// The shop takes no orders, or takes them again.
    Pause,
    /// The kitchen has no more, or has some again.
    Stock,
}

impl Move {
    pub(super) const ALL: [Self; 22] = [
        Self::Submit,
        Self::SubmitOther,
        Self::SubmitAgain,
        Self::Edit,
        Self::Confirm,
        Self::Decline,
        Self::Withdraw,
        Self::Abort,
        Self::Reload,
        Self::Answer,
        Self::Mute,
        Self::Drop,
        Self::Hang,
        Self::Trouble,
        Self::Stranger,
        Self::Late,
        Self::Time,
        Self::Online,
        Self::Sleep,
        Self::OtherPhone,
        Self::Pause,
        Self::Stock,
    ];
}
