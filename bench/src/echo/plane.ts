import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiVersionOf, ConfigMap } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { apply, type Client, merge } from '@coxswain/runtime/client';
import { runProgram, startControlPlane } from '@coxswain/testing';
import { cpuMs } from '../process.ts';
import { childLabels, Echo, fieldManager, finalizer } from './kind.ts';
import { store, storedAt } from './stored.ts';

/** Requests the API server has answered, by `VERB resource/subresource code`. */
export type Requests = ReadonlyMap<string, number>;

/** A real etcd and kube-apiserver with the Echo kind, on the core that operators do not have. */
export interface Plane {
  readonly client: Client;
  /** Path of a kubeconfig. */
  readonly kubeconfig: string;
  /** What is in it. */
  readonly kubeconfigText: string;
  readonly etcdUrl: string;
  /** Milliseconds of CPU that both programs have used. */
  cpu(): Promise<number>;
  requests(): Promise<Requests>;
  [Symbol.asyncDispose](): Promise<void>;
}

const serverCore = '0';
export const namespace = 'default';
/** Requests of the driver under way at once. */
const lanes = 24;

export async function startPlane(): Promise<Plane> {
  const control = await startControlPlane();
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, control.kubeconfig(), { mode: 0o600 });
  const { client, pids, etcdUrl } = control;
  for (const pid of [process.pid, ...pids])
    await runProgram('taskset', ['-acp', serverCore, String(pid)], { cwd: folder });
  await installCrds(client, [Echo.crd()]);
  return {
    client,
    kubeconfig,
    kubeconfigText: control.kubeconfig(),
    etcdUrl,
    async cpu() {
      const each = await Promise.all(pids.map((pid) => cpuMs(pid)));
      return each.reduce((sum, ms) => sum + ms, 0);
    },
    async requests() {
      return requestsIn(String(await client.raw({ method: 'GET', path: '/metrics' })));
    },
    async [Symbol.asyncDispose]() {
      await control.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function requestsIn(text: string): Requests {
  const counts = new Map<string, number>();
  for (const [, labels = '', value] of text.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const of = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const resource = of('subresource') ? `${of('resource')}/${of('subresource')}` : of('resource');
    const key = `${of('verb')} ${resource} ${of('code')}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(value));
  }
  return counts;
}

/** What was asked between two counts, without what `isDriver` says the driver asked itself. */
export function difference(before: Requests, after: Requests, isDriver: (key: string) => boolean): Requests {
  const kinds = /^\S+ (echoes|configmaps)(\/\S+)? /;
  const found = new Map<string, number>();
  for (const [key, value] of after) {
    const more = value - (before.get(key) ?? 0);
    if (more > 0 && kinds.test(key) && !isDriver(key)) found.set(key, more);
  }
  return found;
}

/** Calls `task` with 0 … count-1, some at a time. */
export async function each(count: number, task: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
}

export const nameOf = (index: number): string => `echo-${index}`;
export const keyOf = (index: number) => ({ namespace, name: nameOf(index) });

/** As a user writes it. */
export function echoOf(index: number): Echo {
  return {
    apiVersion: apiVersionOf(Echo),
    kind: Echo.kind,
    metadata: { ...keyOf(index), labels: { team: `team-${index % 10}` } },
    spec: { text: `hello ${index}`, n: 1 },
  };
}

/** An Echo with all that an operator makes of it, so that one that starts finds nothing to do. */
async function createConverged({ client }: Plane, index: number): Promise<ConfigMap> {
  const echo = echoOf(index);
  const { uid = '', generation } = (
    await client.of(Echo).create({ ...echo, metadata: { ...echo.metadata, finalizers: [finalizer] } })
  ).metadata;
  const owner = { apiVersion: apiVersionOf(Echo), kind: Echo.kind, name: nameOf(index), uid };
  const child = {
    metadata: {
      ...keyOf(index),
      labels: childLabels,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    data: { text: echo.spec.text ?? '', n: String(echo.spec.n) },
  };
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Echoed',
    message: '',
    observedGeneration: generation,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const status = { observedGeneration: generation, phase: 'Ready', conditions: [condition] };
  await client.of(Echo).patch(keyOf(index), merge({ status }), { subresource: 'status' });
  return client.of(ConfigMap).patch(keyOf(index), apply(child), { fieldManager, force: true });
}

/** Converged Echoes `from` … `to` - 1 with their ConfigMaps. */
export async function fill(plane: Plane, from: number, to: number): Promise<void> {
  const child = await createConverged(plane, from);
  const key = (resource: string, index: number) => `/registry/${resource}/${namespace}/${nameOf(index)}`;
  const echoText = await storedAt(plane.etcdUrl, key('bench.dev/echoes', from));
  const { resourceVersion: _, ...metadata } = child.metadata;
  // Custom resources are stored as JSON; built-in ones as protobuf, but JSON is read as well.
  const childText = JSON.stringify({ ...child, metadata });
  const echoUid = child.metadata.ownerReferences?.[0]?.uid ?? '';
  const renamed = (text: string, index: number) =>
    text
      .replaceAll(nameOf(from), nameOf(index))
      .replaceAll(`hello ${from}`, `hello ${index}`)
      .replaceAll(echoUid, uidOf(0, index))
      .replaceAll(child.metadata.uid ?? '', uidOf(1, index));
  await store(
    plane.etcdUrl,
    Iterator.from(Array.from({ length: to - from - 1 }, (_none, i) => from + 1 + i)).flatMap((index) => [
      { key: key('bench.dev/echoes', index), value: renamed(echoText, index) },
      { key: key('configmaps', index), value: renamed(childText, index) },
    ]),
  );
}

function uidOf(kind: number, index: number): string {
  return `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`;
}
