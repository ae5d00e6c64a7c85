//! The greeting operator with kube-rs: a ConfigMap for each Greeting by server-side apply, a status and a finalizer.
use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, CustomResource, Resource, ResourceExt,
    api::{DeleteParams, Patch, PatchParams},
    runtime::{
        controller::{Action, Controller},
        finalizer::{Event, finalizer},
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const FINALIZER: &str = "peers.coxswain.dev/farewell";
const MANAGER: &str = "greetings";

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "peers.coxswain.dev", version = "v1", kind = "Greeting", namespaced, status = "GreetingStatus")]
struct GreetingSpec {
    text: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GreetingStatus {
    observed_generation: Option<i64>,
    config_map: Option<String>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("request: {0}")]
    Kube(#[from] kube::Error),
    #[error("finalizer: {0}")]
    Finalizer(#[from] Box<kube::runtime::finalizer::Error<Error>>),
}

async fn apply(greeting: &Greeting, client: Client) -> Result<Action, Error> {
    let namespace = greeting.namespace().unwrap_or_default();
    let name = greeting.name_any();
    let params = PatchParams::apply(MANAGER).force();
    let child = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": name, "ownerReferences": [greeting.controller_owner_ref(&())] },
        "data": { "text": greeting.spec.text },
    });
    Api::<ConfigMap>::namespaced(client.clone(), &namespace).patch(&name, &params, &Patch::Apply(child)).await?;
    let status = json!({
        "apiVersion": "peers.coxswain.dev/v1",
        "kind": "Greeting",
        "status": { "observedGeneration": greeting.metadata.generation, "configMap": name },
    });
    Api::<Greeting>::namespaced(client, &namespace).patch_status(&name, &params, &Patch::Apply(status)).await?;
    Ok(Action::await_change())
}

async fn cleanup(greeting: &Greeting, client: Client) -> Result<Action, Error> {
    let children = Api::<ConfigMap>::namespaced(client, &greeting.namespace().unwrap_or_default());
    match children.delete(&greeting.name_any(), &DeleteParams::default()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        other => drop(other?),
    }
    Ok(Action::await_change())
}

async fn reconcile(greeting: Arc<Greeting>, client: Arc<Client>) -> Result<Action, Error> {
    let api = Api::<Greeting>::namespaced((*client).clone(), &greeting.namespace().unwrap_or_default());
    finalizer(&api, FINALIZER, greeting, |event| async {
        match event {
            Event::Apply(greeting) => apply(&greeting, (*client).clone()).await,
            Event::Cleanup(greeting) => cleanup(&greeting, (*client).clone()).await,
        }
    })
    .await
    .map_err(|error| Error::Finalizer(Box::new(error)))
}

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let client = Client::try_default().await?;
    Controller::new(Api::<Greeting>::all(client.clone()), watcher::Config::default())
        .owns(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .shutdown_on_signal()
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(1)), Arc::new(client))
        .for_each(|result| async move {
            if let Err(error) = result {
                eprintln!("{error}");
            }
        })
        .await;
    Ok(())
}
