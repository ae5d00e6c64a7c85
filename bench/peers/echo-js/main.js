/** The Echo operator with @kubernetes/client-node: a ConfigMap for each Echo, its status, a finalizer. */
import { createServer } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import {
  CoreV1Api,
  CustomObjectsApi,
  createConfiguration,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  ServerConfiguration,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { Counter, collectDefaultMetrics, register } from 'prom-client';
import { Progress } from './progress.js';
import { WorkQueue } from './queue.js';

const [group, version, plural] = ['bench.dev', 'v1', 'echoes'];
const finalizer = 'bench.dev/echo';
const managedBy = { 'app.kubernetes.io/managed-by': 'echo' };
const labelSelector = 'app.kubernetes.io/managed-by=echo';

for (const name of ['LEASE', 'WEBHOOK_PORT']) {
  if ((process.env[name] ?? '0') !== '0') {
    console.error(`${name}: @kubernetes/client-node has no such feature`);
    process.exit(2);
  }
}

const progress = new Progress(Number(process.env.EXPECT ?? 0));
const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();

// The library makes a new agent, and so a new connection, for each request: all share the first one instead.
let dispatcher;
const configuration = createConfiguration({
  baseServer: new ServerConfiguration(kubeConfig.getCurrentCluster().server, {}),
  authMethods: { default: kubeConfig },
  promiseMiddleware: [
    {
      async pre(request) {
        dispatcher ??= request.getDispatcher();
        request.setDispatcher(dispatcher);
        return request;
      },
      post: async (response) => response,
    },
  ],
});
const core = new CoreV1Api(configuration);
const custom = new CustomObjectsApi(configuration);
const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const apply = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);

const echoes = makeInformer(kubeConfig, `/apis/${group}/${version}/${plural}`, () =>
  custom.listCustomObjectForAllNamespaces({ group, version, resourcePlural: plural }),
);
const configMaps = makeInformer(
  kubeConfig,
  '/api/v1/configmaps',
  () => core.listConfigMapForAllNamespaces({ labelSelector }),
  labelSelector,
);

const reconciles = new Counter({ name: 'echo_reconciles_total', help: 'By result.', labelNames: ['result'] });
const queue = new WorkQueue(8, async (key) => {
  let result = 'error';
  try {
    const [namespace, name] = key.split('/');
    await reconcile(namespace, name);
    result = 'success';
  } finally {
    reconciles.inc({ result });
    progress.reconciled(key, result === 'success');
  }
});

function patch(echo, body) {
  const { name, namespace } = echo.metadata;
  return custom.patchNamespacedCustomObject({ group, version, plural, namespace, name, body }, merge);
}

/** The resource version makes a patch of a stale list fail. */
function setFinalizers(echo, finalizers) {
  return patch(echo, { metadata: { finalizers, resourceVersion: echo.metadata.resourceVersion } });
}

async function reconcile(namespace, name) {
  const echo = echoes.get(name, namespace);
  if (echo === undefined) return;
  const finalizers = echo.metadata.finalizers ?? [];
  if (echo.metadata.deletionTimestamp !== undefined) {
    if (finalizers.includes(finalizer)) {
      const others = finalizers.filter((one) => one !== finalizer);
      await setFinalizers(echo, others).catch(ignoreNotFound);
    }
    return;
  }
  if (!finalizers.includes(finalizer)) await setFinalizers(echo, [...finalizers, finalizer]);
  await ensureConfigMap(echo);
  await ensureStatus(echo);
}

function ignoreNotFound(error) {
  if (error?.code !== 404) throw error;
}

async function ensureConfigMap(echo) {
  const { name, namespace, uid } = echo.metadata;
  const data = { text: echo.spec.text, n: String(echo.spec.n ?? 0) };
  const current = configMaps.get(name, namespace);
  if (
    current !== undefined &&
    isDeepStrictEqual({ ...current.data }, data) &&
    current.metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid)
  ) {
    return;
  }
  const owner = { apiVersion: `${group}/${version}`, kind: 'Echo', name, uid };
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace,
      labels: managedBy,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    data,
  };
  const request = { name, namespace, body, fieldManager: 'echo-operator', force: true };
  await core.patchNamespacedConfigMap(request, apply);
}

async function ensureStatus(echo) {
  const { name, namespace, generation: observedGeneration } = echo.metadata;
  const conditions = echo.status?.conditions ?? [];
  const before = conditions.find((one) => one.type === 'Ready');
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Echoed',
    message: '',
    observedGeneration,
    lastTransitionTime: before?.status === 'True' ? before.lastTransitionTime : new Date().toISOString(),
  };
  const others = conditions.filter((one) => one.type !== 'Ready');
  const status = { observedGeneration, phase: 'Ready', conditions: [...others, ready] };
  if (isDeepStrictEqual(echo.status, status)) return;
  await custom
    .patchNamespacedCustomObjectStatus({ group, version, plural, namespace, name, body: { status } }, merge)
    .catch(ignoreNotFound);
}

let synced = false;
let stopping = false;

/** Tries again each second until the informer runs; it says no more than that it failed. */
async function start(informer) {
  await informer.start();
  if (synced || [echoes, configMaps].some((one) => one.latestResourceVersion() === '')) return;
  synced = true;
  progress.synced();
  for (const { metadata } of echoes.list()) queue.add(`${metadata.namespace}/${metadata.name}`);
}

function watch(informer, keyOf) {
  const changed = (object) => {
    delete object.metadata.managedFields;
    const key = keyOf(object.metadata);
    if (synced && key !== undefined) queue.add(key);
  };
  informer.on('change', changed);
  informer.on('error', (error) => {
    if (stopping) return;
    console.error(`watch: ${error?.message ?? error}`);
    setTimeout(() => start(informer), 1000);
  });
}

watch(echoes, ({ namespace, name }) => `${namespace}/${name}`);
watch(configMaps, ({ namespace, ownerReferences }) => {
  const owner = ownerReferences?.find((one) => one.controller && one.kind === 'Echo');
  return owner && `${namespace}/${owner.name}`;
});

const port = Number(process.env.METRICS_PORT ?? 0);
if (port > 0) {
  collectDefaultMetrics();
  createServer(async (_, response) => {
    response.setHeader('Content-Type', register.contentType);
    response.end(await register.metrics());
  }).listen(port, '127.0.0.1');
}

process.once('SIGTERM', async () => {
  stopping = true;
  await Promise.all([echoes.stop(), configMaps.stop(), queue.stop()]);
  process.exit(0);
});

await Promise.all([start(echoes), start(configMaps)]);
