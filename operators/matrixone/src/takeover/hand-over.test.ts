/** From the upstream chart with OpenKruise's chart within it to ours, and back, with the real Helm, over a cluster that upstream made. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CustomResourceDefinition, Deployment, type KubeObject, Node, Pod, PodDisruptionBudget } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { type ClusterProgram, helmFor, toolPath } from '@coxswain/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LABEL_COMPONENT, MatrixOneCluster } from '../api/index.ts';
import { charts } from '../chart/test-helm.ts';
import { type Ground, startGround } from '../e2e/test-ground.ts';
import { recordings } from '../golden/test-recording.ts';
import { restarts, unexpected } from './test-changes.ts';
import { type Place, Upstream } from './test-upstream.ts';
import { kruiseNamespace, onProcessNode, type UpstreamCharts, upstreamCharts } from './test-upstream-chart.ts';

const patience = 240_000;
const system = 'mo-system';
const there = ['-n', system];
const key = { namespace: system, name: 'mo-matrixone-operator' };
/** Milliseconds without a change after which nobody has anything left to do. */
const quiet = 12_000;

let ground: Ground;
let helm: ClusterProgram;
let older: ClusterProgram;
let upstream: UpstreamCharts;
let made: readonly Upstream[] = [];
/** What there was before the hand-over. */
let before: readonly ReadonlyMap<string, KubeObject>[];
let running: Readonly<Record<string, unknown>>;

/** A place in real time. */
const place = (): Place => ({
  client: ground.client,
  clock: systemClock,
  drive: (promise) => promise,
  until: (what, holds, seconds) => expect.poll(holds, { timeout: seconds * 1000, message: what }).toBe(true),
});

beforeAll(async () => {
  ground = await startGround({ nodes: 3 });
  helm = await helmFor(ground.kubeconfig());
  older = await helmFor(ground.kubeconfig(), 3);
  const taints = [{ key: 'only', value: 'processes', effect: 'NoSchedule' }];
  await ground.client.of(Node).patch({ name: 'process-1' }, merge({ spec: { taints } }));
  upstream = await upstreamCharts(ground.client, 'mo', system);
}, patience);
afterAll(async () => {
  await helm?.[Symbol.asyncDispose]();
  await older?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
  await ground?.stop();
});

/** UIDs of all CRDs, by name. */
async function crds(): Promise<Readonly<Record<string, string | undefined>>> {
  const { items } = await ground.client.of(CustomResourceDefinition).list();
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.uid]));
}

/** What must be the same after everything that Helm does: CRDs, OpenKruise's pods, and the pods of all databases. */
async function alive(): Promise<Readonly<Record<string, unknown>>> {
  const { items } = await ground.client.of(Pod).list({ namespace: kruiseNamespace });
  const databases = await Promise.all(made.map((one) => one.pods()));
  return { crds: await crds(), kruise: restarts(items), databases: databases.map(restarts) };
}

async function rolledOut(image: RegExp): Promise<void> {
  await expect
    .poll(
      async () => {
        const { metadata, spec, status } = await ground.client.of(Deployment).get(key);
        const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status ?? {};
        const all = [replicas, updatedReplicas, availableReplicas].every((count) => count === spec?.replicas);
        return all && observedGeneration === metadata.generation && spec?.template.spec?.containers[0]?.image;
      },
      { timeout: 120_000, interval: 250 },
    )
    .toMatch(image);
}

const objects = () => Promise.all(made.map((one) => one.objects()));

/** Waits until nothing has changed for a while. */
async function atRest(): Promise<readonly ReadonlyMap<string, KubeObject>[]> {
  const deadline = systemClock.monotonic() + 120_000;
  for (let last = await objects(); ; ) {
    await sleep(systemClock, quiet);
    const now = await objects();
    const changed = now.flatMap((one, i) => unexpectedOrStatus(last[i] ?? new Map(), one));
    if (changed.length === 0) return now;
    if (systemClock.monotonic() > deadline) throw new Error(`still at work: ${changed.join(', ')}`);
    last = now;
  }
}

const unexpectedOrStatus = (one: ReadonlyMap<string, KubeObject>, other: ReadonlyMap<string, KubeObject>) =>
  [...other]
    .filter(([name, { metadata }]) => one.get(name)?.metadata.resourceVersion !== metadata.resourceVersion)
    .map(([name]) => name);

test('the upstream chart and a database of each sort, as upstream leaves them', { timeout: patience }, async () => {
  await older(['install', 'mo', upstream.operator, ...there, '--create-namespace', '--take-ownership']);
  await rolledOut(/pause/);
  const wanted = recordings().filter(({ name }) => /^(appendix-a|basic-123|legacy-tp-ap)$/.test(name));
  expect(wanted).toHaveLength(3);
  const loaded: Upstream[] = [];
  for (const recording of wanted) loaded.push(await Upstream.load(place(), recording));
  made = loaded;
  before = await atRest();
  running = await alive();
});

test('an upgrade that would take OpenKruise away is refused, and says what to do', { timeout: patience }, async () => {
  const refusal = await helm.try(['upgrade', 'mo', charts.operator, ...there]);
  expect(refusal).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/clonesets\.apps\.kruise\.io, .*statefulsets/),
  });
  const kept = 'helm.sh/resource-policy';
  const own = Object.keys(await crds()).filter((name) => name.endsWith('.kruise.io'));
  for (const name of own)
    await ground.client
      .of(CustomResourceDefinition)
      .patch({ name }, merge({ metadata: { annotations: { [kept]: 'keep' } } }));
  const { code, stderr } = await helm.try(['upgrade', 'mo', charts.operator, ...there]);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /would delete MutatingWebhookConfiguration .*, Namespace .*, Deployment .*, DaemonSet kruise-daemon,/,
  );
  expect(await alive()).toEqual(running);
  await shell(/^ {2}(helm get manifest .*)$/m.exec(stderr)?.[1] ?? '');
});

test('upgraded to ours, nothing but status is written, no CRD is lost, and no pod restarts', {
  timeout: patience,
}, async () => {
  const values = { ...onProcessNode, image: { repository: 'coxswain/matrixone-operator' } };
  await helm(['upgrade', 'mo', charts.operator, ...there, '-f', '-'], JSON.stringify(values));
  await rolledOut(/coxswain/);
  for (const { namespace } of made) {
    const budgets = async () => (await ground.client.of(PodDisruptionBudget).list({ namespace })).items.length;
    await expect.poll(budgets, { timeout: 60_000 }).toBeGreaterThan(0);
  }
  const after = await atRest();
  expect(before.flatMap((one, i) => unexpected(one, after[i] ?? new Map()))).toEqual([]);
  expect(await alive()).toEqual(running);
  for (const { namespace } of made)
    for (const { status } of (await ground.client.of(MatrixOneCluster).list({ namespace })).items)
      expect(status?.phase).toBe('Ready');
});

test('OpenKruise becomes a release of its own, in place', { timeout: patience }, async () => {
  await helm(['install', 'kruise', upstream.kruise, ...there, '--take-ownership', '--force-conflicts']);
  expect(await alive()).toEqual(running);
});

test('back to the upstream chart, all goes on as well', { timeout: patience }, async () => {
  await helm(['upgrade', 'mo', upstream.operator, ...there, '--set', 'kruise.enabled=false']);
  await rolledOut(/pause/);
  expect(await alive()).toEqual(running);
});

/** Runs a line of a shell as a user would, with Helm and kubectl. */
async function shell(line: string): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'coxswain-shell-'));
  try {
    await writeFile(join(home, 'config'), ground.kubeconfig(), { mode: 0o600 });
    for (const tool of ['helm', 'kubectl'] as const) await symlink(await toolPath(tool), join(home, tool));
    const env = { PATH: `${home}:${process.env['PATH']}`, HOME: home, KUBECONFIG: join(home, 'config') };
    await promisify(execFile)('sh', ['-ec', line], { env });
  } finally {
    await rm(home, { recursive: true });
  }
}

/** Databases have pods: otherwise nothing is shown. */
test('the databases had pods of all roles', () => {
  const roles = before.map(
    (one) => new Set([...one.values()].map(({ metadata }) => metadata.labels?.[LABEL_COMPONENT])),
  );
  for (const role of roles) expect([...role]).toEqual(expect.arrayContaining(['LogSet', 'DNSet', 'CNSet']));
});
