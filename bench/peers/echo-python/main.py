"""The Echo operator with kopf: a ConfigMap for each Echo, its status, a finalizer (kopf's own)."""

import asyncio
import contextlib
import datetime
import logging
import os
import sys

import kopf
import lightkube
import prometheus_client
import uvloop
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
# Not kopf's worker limit: a worker holds its place for the seconds in which its object is at rest.
workers = asyncio.Semaphore(8)


class Cache:
    """What the events told. Not kopf's indices: at the start they take time by the square of the objects."""

    def __init__(self, client: lightkube.AsyncClient):
        self.client = client
        self.echoes = {}
        self.config_maps = {}

    async def fill(self):
        """So that no Echo is handled before its ConfigMap is known."""
        async for child in self.client.list(ConfigMap, namespace="*", labels=MANAGED_BY):
            owners = child.metadata.ownerReferences or []
            uid = next((owner.uid for owner in owners if owner.controller), None)
            self.config_maps[child.metadata.namespace, child.metadata.name] = (uid, child.data)


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
    memo.cache = Cache(lightkube.AsyncClient(field_manager="echo-operator"))
    await memo.cache.fill()
    progress.tell_when_listed("echoes", "configmaps")


@kopf.on.cleanup()
async def close(memo: kopf.Memo, **_):
    await memo.cache.client.close()


@kopf.on.event(*ECHOES)
async def keep_echo(event, namespace, name, uid, spec, meta, memo: kopf.Memo, **_):
    keep(memo.cache.echoes, event, (namespace, name), (uid, config_map_data(spec)), meta.deletion_timestamp)


@kopf.on.event("v1", "configmaps", labels=MANAGED_BY)
async def keep_config_map(event, namespace, name, meta, body, memo: kopf.Memo, **_):
    """Kopf cannot call an Echo's handlers for another object's event, so the ConfigMap is mended here."""
    cache, key = memo.cache, (namespace, name)
    keep(cache.config_maps, event, key, (controller_of(meta).get("uid"), body.get("data")))
    wanted = cache.echoes.get(key)
    if event["type"] is not None and wanted is not None:
        async with counted(key):
            await ensure_config_map(cache, key, wanted)


def keep(kept, event, key, value, is_going=None):
    if is_going or event["type"] == "DELETED":
        kept.pop(key, None)
    else:
        kept[key] = value


def controller_of(meta):
    return next((owner for owner in meta.get("ownerReferences", []) if owner.get("controller")), {})


def config_map_data(spec):
    return {"text": spec.get("text", ""), "n": str(spec.get("n", 0))}


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
async def reconcile(namespace, name, uid, spec, status, meta, patch, memo: kopf.Memo, **_):
    async with counted((namespace, name)):
        await ensure_config_map(memo.cache, (namespace, name), (uid, config_map_data(spec)))
        wanted = ready(dict(status), meta["generation"])
        if wanted != status:
            patch.status.update(wanted)


@kopf.on.delete(*ECHOES)
async def farewell(namespace, name, **_):
    """Kopf takes its finalizer away after it."""
    async with counted((namespace, name)):
        pass


async def ensure_config_map(cache, key, wanted):
    if cache.config_maps.get(key) == wanted:
        return
    (namespace, name), (uid, data) = key, wanted
    owner = OwnerReference(f"{GROUP}/{VERSION}", "Echo", name, uid, controller=True, blockOwnerDeletion=True)
    meta = ObjectMeta(name=name, namespace=namespace, labels=MANAGED_BY, ownerReferences=[owner])
    await cache.client.apply(ConfigMap(metadata=meta, data=data), force=True)


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


if __name__ == "__main__":
    # As `kopf run --standalone --all-namespaces --quiet` does.
    kopf.configure(quiet=True)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        kopf.run(standalone=True, clusterwide=True, loop=runner.get_loop())
