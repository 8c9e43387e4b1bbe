//! The contract, seen from outside. Names are sentences; acceptance cases are cited by their number.

mod placing;
