//! Guests of a storm, in a process of their own: takes a plan from standard input, and prints what became of each wish.

fn main() -> anyhow::Result<()> {
    let plan = serde_json::from_reader(std::io::stdin())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(harness::storm::guest::swarm(plan))
}
