//! The Echo operator with kube-rs: a ConfigMap for each Echo, its status, a finalizer.
mod election;
mod gate;
mod kind;
mod progress;
mod reconcile;
mod webhook;

use std::{env, error, process, sync::Arc};

use election::Election;
use futures::StreamExt;
use gate::Gate;
use k8s_openapi::api::core::v1::ConfigMap;
use kind::Echo;
use kube::{
    Api, Client, Resource,
    runtime::{
        Predicate, WatchStreamExt,
        controller::{self, Config, Controller},
        predicates, reflector, watcher,
    },
};
use progress::Progress;
use reconcile::{Context, MANAGED_BY, MANAGED_BY_LABEL};
use tokio::signal::unix::{SignalKind, signal};

fn strip<K: Resource>(object: &mut K) {
    object.meta_mut().managed_fields = None;
}

/// Ends when a signal asks for it and all reconciles that had begun are over.
async fn run(client: Client, gate: Gate, progress: Arc<Progress>) {
    let echoes = watcher::Config::default().streaming_lists();
    let children = echoes.clone().labels(&format!("{MANAGED_BY_LABEL}={MANAGED_BY}"));
    let (echo_store, echo_writer) = reflector::store();
    let echoes_listed = gate.clone();
    let echo_stream = watcher(Api::<Echo>::all(client.clone()), echoes)
        .default_backoff()
        .modify(strip)
        .reflect(echo_writer)
        .inspect(move |event| {
            if matches!(event, Ok(watcher::Event::InitDone)) {
                echoes_listed.echoes();
            }
        })
        .applied_objects()
        .predicate_filter(predicates::generation.combine(predicates::finalizers), Default::default());
    let (config_maps, writer) = reflector::store();
    let config_maps_listed = gate.clone();
    let config_map_stream = watcher(Api::<ConfigMap>::all(client.clone()), children)
        .default_backoff()
        .modify(strip)
        .reflect(writer)
        .inspect(move |event| {
            if matches!(event, Ok(watcher::Event::InitDone)) {
                config_maps_listed.config_maps();
            }
        })
        .touched_objects();

    Controller::for_stream(echo_stream, echo_store)
        .owns_stream(config_map_stream)
        .with_config(Config::default().concurrency(8))
        .shutdown_on_signal()
        .run(
            reconcile::reconcile,
            reconcile::on_error,
            Arc::new(Context { client, config_maps, gate, progress, delays: Default::default() }),
        )
        .for_each(|result| async move {
            match result {
                // Its config map outlived it by a moment.
                Ok(_) | Err(controller::Error::ObjectNotFound(_)) => {}
                Err(error) => eprintln!("{error}"),
            }
        })
        .await;
}

/// Leads from when the lease is held; without it the process ends.
async fn lead(election: Arc<Election>, gate: Gate) {
    election.acquire().await;
    gate.leads();
    election.hold().await;
    eprintln!("the lease is lost");
    process::exit(1);
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn error::Error>> {
    let number = |name| env::var(name).ok().and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
    let progress = Arc::new(Progress::new(number("EXPECT")));
    let (mut asked, stats) = (signal(SignalKind::user_defined2())?, progress.clone());
    tokio::spawn(async move {
        while asked.recv().await.is_some() {
            stats.stats();
        }
    });
    if let Some(port) = u16::try_from(number("WEBHOOK_PORT")).ok().filter(|port| *port > 0) {
        webhook::serve(port).await?;
    }
    let gate = Gate::new();
    let lease = env::var("LEASE").unwrap_or_default();
    let election = match lease.split_once('/') {
        Some((namespace, name)) => Some(Arc::new(Election::new(namespace, name).await?)),
        None => None,
    };
    let leading = match &election {
        Some(election) => Some(tokio::spawn(lead(election.clone(), gate.clone()))),
        None => {
            gate.leads();
            None
        }
    };
    let (ready, told) = (gate.clone(), progress.clone());
    tokio::spawn(async move {
        if ready.passed().await {
            told.synced();
        }
    });
    let (mut ended, stopped) = (signal(SignalKind::terminate())?, gate.clone());
    tokio::spawn(async move {
        ended.recv().await;
        stopped.stops();
    });
    run(Client::try_default().await?, gate, progress).await;
    if let (Some(election), Some(leading)) = (election, leading) {
        leading.abort();
        election.release().await?;
    }
    Ok(())
}
