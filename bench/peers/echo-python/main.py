"""The Echo operator with kopf: a ConfigMap for each Echo, its status, a finalizer (kopf's own).

Run with `kopf run --standalone --all-namespaces --quiet main.py`.
"""

import asyncio
import contextlib
import datetime
import logging
import os
import sys

import kopf
import lightkube
import prometheus_client
from lightkube.models.meta_v1 import ObjectMeta, OwnerReference
from lightkube.resources.core_v1 import ConfigMap

from progress import Progress

GROUP, VERSION, PLURAL = ECHOES = ("bench.dev", "v1", "echoes")
MANAGED_BY = {"app.kubernetes.io/managed-by": "echo"}
WEBHOOK_PORT = int(os.environ.get("WEBHOOK_PORT", "0"))

if os.environ.get("LEASE"):
    sys.exit("LEASE: kopf has peering, but no leader election by a Lease")

progress = Progress(int(os.environ.get("EXPECT", "0")))
reconciles = prometheus_client.Counter("echo_reconciles", "By result.", ["result"])
# Not kopf's worker limit: a worker holds its place while its object is at rest, and while the indices fill.
workers = asyncio.Semaphore(8)


@kopf.on.startup()
async def configure(settings: kopf.OperatorSettings, memo: kopf.Memo, **_):
    logging.getLogger().setLevel(logging.ERROR)
    settings.posting.enabled = False
    settings.persistence.finalizer = "bench.dev/echo"
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage()
    settings.watching.label_selectors["configmaps"] = "app.kubernetes.io/managed-by=echo"
    settings.execution.default_backoff = 1
    if WEBHOOK_PORT:
        settings.admission.server = kopf.WebhookServer(
            addr="127.0.0.1",
            port=WEBHOOK_PORT,
            certfile=os.environ["WEBHOOK_CERT"],
            pkeyfile=os.environ["WEBHOOK_KEY"],
        )
    if port := int(os.environ.get("METRICS_PORT", "0")):
        prometheus_client.start_http_server(port, addr="127.0.0.1")
    progress.answer_signals()
    memo.client = lightkube.AsyncClient(field_manager="echo-operator")
    progress.tell_when_listed("echoes", "configmaps")


@kopf.on.cleanup()
async def close(memo: kopf.Memo, **_):
    await memo.client.close()


@kopf.index(*ECHOES)
async def echoes(namespace, name, uid, spec, meta, **_):
    return {(namespace, name): None if meta.deletion_timestamp else (uid, config_map_data(spec))}


@kopf.index("v1", "configmaps", labels=MANAGED_BY)
async def config_maps(namespace, name, meta, body, **_):
    return {(namespace, name): (controller_of(meta).get("uid"), body.get("data"))}


def controller_of(meta):
    return next((owner for owner in meta.get("ownerReferences", []) if owner.get("controller")), {})


def config_map_data(spec):
    return {"text": spec.get("text", ""), "n": str(spec.get("n", 0))}


def only(index: kopf.Index, key):
    return next(iter(index.get(key, ())), None)


@contextlib.asynccontextmanager
async def counted(key):
    result = "error"
    async with workers:
        try:
            yield
            result = "success"
        finally:
            reconciles.labels(result).inc()
            progress.reconciled(key, result == "success")


@kopf.on.resume(*ECHOES)
@kopf.on.create(*ECHOES)
@kopf.on.update(*ECHOES)
async def reconcile(namespace, name, uid, spec, status, meta, patch, config_maps: kopf.Index, memo: kopf.Memo, **_):
    async with counted((namespace, name)):
        await ensure_config_map(memo.client, config_maps, (namespace, name), (uid, config_map_data(spec)))
        wanted = ready(dict(status), meta["generation"])
        if wanted != status:
            patch.status.update(wanted)


@kopf.on.delete(*ECHOES)
async def farewell(namespace, name, **_):
    """Kopf takes its finalizer away after it."""
    async with counted((namespace, name)):
        pass


@kopf.on.event("v1", "configmaps", labels=MANAGED_BY)
async def restore(event, namespace, meta, echoes: kopf.Index, config_maps: kopf.Index, memo: kopf.Memo, **_):
    """Kopf cannot call an Echo's handlers for another object's event."""
    owner = controller_of(meta)
    key = (namespace, owner.get("name"))
    wanted = only(echoes, key)
    if event["type"] is None or wanted is None or owner.get("uid") != wanted[0]:
        return
    async with counted(key):
        await ensure_config_map(memo.client, config_maps, key, wanted)


async def ensure_config_map(client, config_maps: kopf.Index, key, wanted):
    if only(config_maps, key) == wanted:
        return
    (namespace, name), (uid, data) = key, wanted
    owner = OwnerReference(f"{GROUP}/{VERSION}", "Echo", name, uid, controller=True, blockOwnerDeletion=True)
    meta = ObjectMeta(name=name, namespace=namespace, labels=MANAGED_BY, ownerReferences=[owner])
    await client.apply(ConfigMap(metadata=meta, data=data), force=True)


def ready(status, generation):
    conditions = status.get("conditions", [])
    before = next((one for one in conditions if one["type"] == "Ready"), {})
    since = before["lastTransitionTime"] if before.get("status") == "True" else now()
    condition = {
        "type": "Ready",
        "status": "True",
        "reason": "Echoed",
        "message": "",
        "observedGeneration": generation,
        "lastTransitionTime": since,
    }
    others = [one for one in conditions if one["type"] != "Ready"]
    return {"observedGeneration": generation, "phase": "Ready", "conditions": [*others, condition]}


def now():
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


if WEBHOOK_PORT:

    @kopf.on.mutate(*ECHOES, id="mutate-bench-dev-v1-echo")
    async def default(spec, patch, **_):
        if "n" not in spec:
            patch.spec["n"] = 3

    @kopf.on.validate(*ECHOES, id="validate-bench-dev-v1-echo")
    async def validate(spec, **_):
        if spec.get("text") == "bad":
            raise kopf.AdmissionError("spec.text: must not be bad", code=422)
