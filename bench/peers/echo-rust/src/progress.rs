//! Tells on stdout, a line of JSON each, how far the operator is.
use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

#[derive(Default)]
struct State {
    reconciles: u64,
    /// Keys that were reconciled successfully; none once enough of them were.
    done: Option<HashSet<String>>,
}

pub struct Progress {
    expect: usize,
    state: Mutex<State>,
}

impl Progress {
    pub fn new(expect: usize) -> Self {
        let done = (expect > 0).then(HashSet::new);
        tell("started");
        Self { expect, state: Mutex::new(State { reconciles: 0, done }) }
    }

    pub fn synced(&self) {
        tell("synced");
        if self.expect == 0 {
            tell("all");
        }
    }

    /// A reconcile has run; `key` if the object is as it should be now.
    pub fn reconciled(&self, key: Option<String>) {
        let mut state = self.state();
        state.reconciles += 1;
        if state.reconciles == 1 {
            tell("first");
        }
        if let (Some(done), Some(key)) = (&mut state.done, key) {
            done.insert(key);
            if done.len() == self.expect {
                state.done = None;
                tell("all");
            }
        }
    }

    pub fn stats(&self) {
        println!("{{\"event\":\"stats\",\"reconciles\":{}}}", self.state().reconciles);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tell(event: &str) {
    println!("{{\"event\":\"{event}\"}}");
}
