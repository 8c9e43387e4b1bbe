//! The contract, seen from outside. Names are sentences; acceptance cases are cited by their number.

mod bad_input;
mod cancel;
mod credentials;
mod doors;
mod hang_ups;
mod killed;
mod kitchen;
mod ledger;
mod migrations;
mod notes;
mod placing;
mod pools;
mod prices;
mod program;
mod reading;
mod rollback;
mod stock;
mod storms;
mod toppings;
mod two_nodes;
mod unknown_commit;
mod waiting;
