//! When reconciles may run.
use tokio::sync::watch;

#[derive(Clone, Copy, Default)]
struct State {
    echoes: bool,
    config_maps: bool,
    leads: bool,
    stops: bool,
}

/// What a reconcile waits for. `Store::wait_until_ready` would not do: of several that wait for one store, it wakes the last.
#[derive(Clone)]
pub struct Gate(watch::Sender<State>);

impl Gate {
    pub fn new() -> Self {
        Self(watch::Sender::default())
    }

    /// The first listing of Echoes is complete.
    pub fn echoes(&self) {
        self.0.send_modify(|state| state.echoes = true);
    }

    /// The first listing of config maps is complete.
    pub fn config_maps(&self) {
        self.0.send_modify(|state| state.config_maps = true);
    }

    /// This replica is the leader.
    pub fn leads(&self) {
        self.0.send_modify(|state| state.leads = true);
    }

    /// No reconcile is to begin any more.
    pub fn stops(&self) {
        self.0.send_modify(|state| state.stops = true);
    }

    /// Waits until caches are full and this replica leads; false when it stops.
    pub async fn passed(&self) -> bool {
        let open = |state: &State| state.stops || (state.echoes && state.config_maps && state.leads);
        self.0.subscribe().wait_for(open).await.is_ok_and(|state| !state.stops)
    }
}
