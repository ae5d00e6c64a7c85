"""The greeting operator with kopf: a ConfigMap for each Greeting, a status and a finalizer (kopf's own)."""

import kopf
import kubernetes

GROUP, VERSION, PLURAL = "peers.coxswain.dev", "v1", "greetings"


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    settings.persistence.finalizer = "peers.coxswain.dev/farewell"
    settings.posting.level = 40
    settings.networking.request_timeout = 10
    kubernetes.config.load_kube_config()


def greet(name, namespace, body, spec):
    child = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "labels": {"greeting": name}},
        "data": {"text": spec["text"]},
    }
    kopf.adopt(child, owner=body)
    api = kubernetes.client.CoreV1Api()
    try:
        api.create_namespaced_config_map(namespace, child)
    except kubernetes.client.ApiException as refusal:
        if refusal.status != 409:
            raise
        api.patch_namespaced_config_map(name, namespace, {"data": child["data"]})


@kopf.on.create(GROUP, VERSION, PLURAL, backoff=1)
@kopf.on.update(GROUP, VERSION, PLURAL, backoff=1)
@kopf.on.resume(GROUP, VERSION, PLURAL, backoff=1)
def reconcile(name, namespace, body, spec, meta, patch, **_):
    greet(name, namespace, body, spec)
    patch.status["observedGeneration"] = meta["generation"]
    patch.status["configMap"] = name


@kopf.on.delete(GROUP, VERSION, PLURAL, backoff=1)
def farewell(name, namespace, **_):
    try:
        kubernetes.client.CoreV1Api().delete_namespaced_config_map(name, namespace)
    except kubernetes.client.ApiException as refusal:
        if refusal.status != 404:
            raise


@kopf.on.event("configmaps", labels={"greeting": kopf.PRESENT})
def restore(event, name, namespace, **_):
    if event["type"] != "DELETED":
        return
    try:
        parent = kubernetes.client.CustomObjectsApi().get_namespaced_custom_object(
            GROUP, VERSION, namespace, PLURAL, name
        )
    except kubernetes.client.ApiException as refusal:
        if refusal.status != 404:
            raise
        return
    if "deletionTimestamp" not in parent["metadata"]:
        greet(name, namespace, parent, parent["spec"])
