//! Makes of an Echo its config map and its status.
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use k8s_openapi::{
    api::core::v1::ConfigMap,
    apimachinery::pkg::apis::meta::v1::{Condition, OwnerReference, Time},
    jiff::Timestamp,
};
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams},
    runtime::{
        controller::Action,
        finalizer::{self, Event, finalizer},
        reflector::{ObjectRef, Store},
    },
};
use serde_json::json;

use crate::{gate::Gate, kind::Echo, progress::Progress};

const FINALIZER: &str = "bench.dev/echo";
const FIELD_MANAGER: &str = "echo-operator";
pub const MANAGED_BY_LABEL: &str = "app.kubernetes.io/managed-by";
pub const MANAGED_BY: &str = "echo";
const MIN_DELAY: Duration = Duration::from_millis(100);
const MAX_DELAY: Duration = Duration::from_secs(30);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("request: {0}")]
    Kube(#[from] kube::Error),
    #[error("{0}")]
    Finalizer(#[from] Box<finalizer::Error<Error>>),
}

pub struct Context {
    pub client: Client,
    pub config_maps: Store<ConfigMap>,
    pub gate: Gate,
    pub progress: Arc<Progress>,
    /// After how long an Echo whose reconcile failed is tried again, the next time.
    pub delays: Mutex<HashMap<ObjectRef<Echo>, Duration>>,
}

pub async fn reconcile(echo: Arc<Echo>, ctx: Arc<Context>) -> Result<Action, Error> {
    if !ctx.gate.passed().await {
        return Ok(Action::await_change());
    }
    let key = ObjectRef::from_obj(&*echo);
    let finalized = echo.finalizers().iter().any(|name| name == FINALIZER);
    let result = reconcile_finalized(echo, &ctx).await;
    // Without the finalizer it was only added; the object comes back.
    ctx.progress.reconciled((finalized && result.is_ok()).then(|| key.to_string()));
    if result.is_ok() {
        ctx.delays.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
    }
    result
}

/// Tries again after twice as long each time.
pub fn on_error(echo: Arc<Echo>, _: &Error, ctx: Arc<Context>) -> Action {
    let mut delays = ctx.delays.lock().unwrap_or_else(PoisonError::into_inner);
    let next = delays.entry(ObjectRef::from_obj(&*echo)).or_insert(MIN_DELAY);
    let delay = *next;
    *next = MAX_DELAY.min(delay * 2);
    Action::requeue(delay)
}

async fn reconcile_finalized(echo: Arc<Echo>, ctx: &Context) -> Result<Action, Error> {
    let echoes = Api::<Echo>::namespaced(ctx.client.clone(), &echo.namespace().unwrap_or_default());
    let result = finalizer(&echoes, FINALIZER, echo, |event| async {
        if let Event::Apply(echo) = event {
            ensure_config_map(&echo, ctx).await?;
            ensure_status(&echo, &echoes).await?;
        }
        Ok(Action::await_change())
    });
    result.await.map_err(|error| Error::Finalizer(Box::new(error)))
}
async fn ensure_config_map(echo: &Echo, ctx: &Context) -> Result<(), Error> {
    let name = echo.name_any();
    let namespace = echo.namespace().unwrap_or_default();
    let wanted = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            labels: Some(BTreeMap::from([(MANAGED_BY_LABEL.into(), MANAGED_BY.into())])),
            owner_references: echo.owner_ref(&()).map(|owner| {
                vec![OwnerReference { controller: Some(true), block_owner_deletion: Some(true), ..owner }]
            }),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([
            ("text".into(), echo.spec.text.clone()),
            ("n".into(), echo.spec.n.unwrap_or(0).to_string()),
        ])),
        ..ConfigMap::default()
    };
    let current = ctx.config_maps.get(&ObjectRef::new(&name).within(&namespace));
    if current.is_some_and(|current| same(&current, &wanted, echo)) {
        return Ok(());
    }
    let params = PatchParams::apply(FIELD_MANAGER).force();
    let config_maps = Api::<ConfigMap>::namespaced(ctx.client.clone(), &namespace);
    config_maps.patch(&name, &params, &Patch::Apply(wanted)).await?;
    Ok(())
}

fn same(current: &ConfigMap, wanted: &ConfigMap, echo: &Echo) -> bool {
    current.data == wanted.data
        && current.labels().get(MANAGED_BY_LABEL).is_some_and(|value| value == MANAGED_BY)
        && current
            .owner_references()
            .iter()
            .any(|owner| owner.controller == Some(true) && Some(&owner.uid) == echo.meta().uid.as_ref())
}

async fn ensure_status(echo: &Echo, echoes: &Api<Echo>) -> Result<(), Error> {
    let before = echo.status.clone().unwrap_or_default();
    let generation = echo.meta().generation;
    let mut status = before.clone();
    status.observed_generation = generation;
    status.phase = Some("Ready".into());
    let ready = before.conditions.iter().find(|it| it.type_ == "Ready");
    let since = ready.filter(|it| it.status == "True").map(|it| it.last_transition_time.clone());
    status.conditions.retain(|it| it.type_ != "Ready");
    status.conditions.push(Condition {
        type_: "Ready".into(),
        status: "True".into(),
        reason: "Echoed".into(),
        message: String::new(),
        observed_generation: generation,
        last_transition_time: since.unwrap_or_else(|| Time(Timestamp::now())),
    });
    if status == before {
        return Ok(());
    }
    let patch = Patch::Merge(json!({ "status": status }));
    match echoes.patch_status(&echo.name_any(), &PatchParams::default(), &patch).await {
        Err(kube::Error::Api(answer)) if answer.code == 404 => Ok(()),
        other => Ok(drop(other?)),
    }
}
