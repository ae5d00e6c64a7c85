import { readFileSync } from 'node:fs';
import type { KubeObject, Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { CNClaim, CNPool, CNSet } from '../api/index.ts';
import { unmanagedCnStores } from '../cnstore/index.ts';
import { chartServiceArgs as args } from '../defaults/index.ts';
import { candidates, orphans, otherHolder } from './claim-candidates.ts';
import { compareDeletion } from './claim-deletion-order.ts';
import { planClaimSet } from './claim-set-plan.ts';
import { CNClaimActor } from './cnclaim.ts';
import { migrationStep } from './migration.ts';
import { poolSet, poolSetName, poolSetSpec } from './pool-set.ts';
import { census, desiredPods, replicasFor, surplus } from './pool-size.ts';
import { revisionOf, revisionSuffix, revisionText } from './revision.ts';
import { compareScaleIn } from './scale-in-order.ts';

type Labels = Readonly<Record<string, string>>;

function pod(name: string, phase: string, { at = 0, labels = {} }: { at?: number; labels?: Labels } = {}): Pod {
  const creationTimestamp = new Date(at * 1000).toISOString();
  return {
    metadata: { name, creationTimestamp, labels: { 'pool.matrixorigin.io/phase': phase, app: 'p', ...labels } },
  };
}

function claim(name: string, spec: Partial<NonNullable<CNClaim['spec']>> = {}, phase?: string): CNClaim {
  return {
    metadata: { name },
    spec: { selector: { matchLabels: { app: 'p' } }, ...spec },
    ...(phase ? { status: { phase } } : {}),
  };
}

const leaving = <T extends Pod | CNClaim>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});
const names = (objects: readonly (Pod | CNClaim)[]) => objects.map(({ metadata }) => metadata.name);

function recorded(file: string, kind: string): KubeObject {
  const text = readFileSync(new URL(`../../fixtures/golden/pool/${file}`, import.meta.url), 'utf8');
  const objects = parseAllDocuments(text).flatMap((document) => document.toJS() as KubeObject | KubeObject[]);
  const found = objects.find((object) => object.kind === kind);
  if (!found) throw new Error(`${file} has no ${kind}`);
  return found;
}

function recordedPool(): { readonly pool: CNPool; readonly set: CNSet } {
  const pool = recorded('input.yaml', 'CNPool') as CNPool;
  const set = recorded('objects/resources.yaml', 'CNSet') as CNSet;
  return { pool: { ...pool, metadata: { ...pool.metadata, uid: 'UID.CNPool.test' } }, set };
}

describe('revision', () => {
  test('FNV-1 over Go’s text of the bytes, spelled in the alphabet of generated names', () => {
    expect(revisionSuffix('{"a":"a","b":"b"}')).toBe('5787dfdd5f');
  });

  test('is the one recorded, before and after pools roll in place', () => {
    const template = { image: 'matrixorigin/matrixone:2.1.0', cacheVolume: { size: '5Gi' } };
    expect(revisionText(template)).toBe(
      '{"image":"matrixorigin/matrixone:2.1.0","resources":{},"overlay":{},"replicas":0,"cacheVolume":{"size":"5Gi"},"sharedStorageCache":{},"pythonUdfSidecar":{"resources":{}},"scalingConfig":{},"updateStrategy":{}}',
    );
    expect(revisionOf(template)).toBe('5bd78c457b');
    expect(revisionOf({ ...template, operatorVersion: '1.3.0' })).toBe('97dd4499f');
  });

  test('has an overlay in the order of Go’s fields, and what Go prints for what is empty', () => {
    // In the order in which the server gives it back, that of names.
    const overlay = {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ preference: {}, weight: 1 }] } },
      env: [
        { name: 'X', value: '<é>' },
        { name: 'E', value: '' },
        { name: 'S', valueFrom: { secretKeyRef: { key: 'k', name: 's' } } },
        { name: 'R', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      ],
      initContainers: [{ args: ['a'], image: 'b:1', name: 'i' }],
      livenessProbe: { failureThreshold: 4, periodSeconds: 1, tcpSocket: { port: 1 } },
      shareProcessNamespace: false,
      terminationGracePeriodSeconds: 0,
      tolerations: [{ effect: 'NoExecute', key: 'k', operator: 'Exists' }],
      volumeClaims: [{ metadata: { name: 'e' }, spec: { accessModes: ['ReadWriteOnce'], resources: {} } }],
      volumeMounts: [{ mountPath: '/v', name: 'v', readOnly: true, subPath: 's' }],
      volumes: [{ emptyDir: { sizeLimit: '1.5Gi' }, name: 'v' }],
    };
    expect(revisionText({ image: 'x:1', overlay, memoryLimitPercent: 0 })).toBe(
      '{"image":"x:1","resources":{},"overlay":{"env":[{"name":"X","value":"\\u003cé\\u003e"},{"name":"E"},' +
        '{"name":"S","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}},' +
        '{"name":"R","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"0"}}}],' +
        '"volumeMounts":[{"name":"v","readOnly":true,"mountPath":"/v","subPath":"s"}],' +
        '"livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":1,"failureThreshold":4},' +
        '"volumes":[{"name":"v","emptyDir":{"sizeLimit":"1536Mi"}}],' +
        '"volumeClaims":[{"metadata":{"name":"e","creationTimestamp":null},"spec":{"accessModes":["ReadWriteOnce"],"resources":{}},"status":{}}],' +
        '"initContainers":[{"name":"i","image":"b:1","args":["a"],"resources":{}}],' +
        '"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{}}]}},' +
        '"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute"}],' +
        '"terminationGracePeriodSeconds":0,"shareProcessNamespace":false},' +
        '"replicas":0,"memoryLimitPercent":0,"sharedStorageCache":{},"pythonUdfSidecar":{"resources":{}},"scalingConfig":{},"updateStrategy":{}}',
    );
    // Recorded of upstream.
    const env = [{ name: 'X', value: '<é>' }];
    const small = { env, podLabels: { a: 'b' }, shareProcessNamespace: false, terminationGracePeriodSeconds: 0 };
    expect(revisionOf({ image: 'x:2.1.0', operatorVersion: '1.3.0', overlay: small })).toBe('5854bcf44d');
  });

  test('is not changed by labels, annotations, scaling or what is unset; by image and configuration only where those do not roll in place [case 23]', () => {
    const template = { image: 'mo:2.1.0', resources: { requests: { memory: '1.5Gi', cpu: '1000m' } } };
    const same = {
      ...template,
      resources: { requests: { cpu: '1', memory: '1536Mi' } },
      replicas: 7,
      overlay: { podLabels: { a: 'b' }, podAnnotations: { c: 'd' }, env: [] },
      scalingConfig: { minDelaySeconds: 3 },
      nodeSelector: {},
    };
    expect(revisionText(same)).toBe(revisionText(template));
    expect(revisionText({ ...template, config: 'x = 1\n' })).toContain('"config":"x = 1\\n"');
    const rolling = { ...template, operatorVersion: '1.3.0' };
    expect(revisionText({ ...rolling, image: 'mo:2.2.0', config: 'x = 1\n' })).toBe(revisionText(rolling));
  });
});

describe('the set of a pool', () => {
  test('is the recorded one', () => {
    const { pool, set } = recordedPool();
    const name = poolSetName(pool, [], args);
    expect(name).toBe(set.metadata.name);
    const made = poolSet(pool, name, { replicas: 5, podsToDelete: [] });
    expect(made.metadata.labels).toEqual(set.metadata.labels);
    const { podLabels } = set.spec.overlay ?? {};
    expect(made.spec).toMatchObject({
      podManagementPolicy: 'Pooling',
      pauseUpdate: true,
      updateStrategy: set.spec.updateStrategy,
      overlay: { podLabels },
    });
  });

  test('has no labels of stores and no service of its own', () => {
    const { pool } = recordedPool();
    const template = {
      ...pool.spec.template,
      cnLabels: [{ key: 'a', values: ['b'] }],
      nodePort: 30001,
      serviceType: 'NodePort' as const,
    };
    const spec = poolSetSpec({ ...pool, spec: { ...pool.spec, template } }, { replicas: 0, podsToDelete: [] });
    expect(spec).not.toHaveProperty('cnLabels');
    expect(spec).not.toHaveProperty('nodePort');
    expect(spec.serviceType).toBe('ClusterIP');
  });

  test('keeps the name of the only one there is while it is the same', () => {
    const { pool, set } = recordedPool();
    const renamed = { ...set, metadata: { ...set.metadata, name: 'test-othername' } };
    expect(poolSetName(pool, [renamed], args)).toBe('test-othername');
    const changed = { ...renamed, spec: { ...set.spec, image: 'matrixorigin/matrixone:2.2.0' } };
    expect(poolSetName(pool, [changed], args)).toBe('test-5bd78c457b');
    expect(poolSetName(pool, [leaving(renamed as never)], args)).toBe('test-5bd78c457b');
    expect(poolSetName(pool, [renamed, set], args)).toBe('test-5bd78c457b');
  });
});

describe('size of a pool', () => {
  const demand = { inUse: 3, pending: 1, maxIdle: 2, maxPods: undefined, legacy: 0 };

  test('desired is in use, waiting and idle ones', () => {
    expect(desiredPods(demand)).toBe(6);
    expect(desiredPods({ ...demand, maxIdle: -4 })).toBe(4);
  });

  test('maxPods limits growth with those of earlier revisions, takes away none in use, and lets surplus go', () => {
    expect(desiredPods({ ...demand, maxPods: 5 })).toBe(5);
    expect(desiredPods({ ...demand, maxPods: 5, legacy: 1 })).toBe(4);
    expect(desiredPods({ ...demand, maxPods: 1 })).toBe(3);
    const crowd = census(['a', 'b', 'c', 'd', 'e'].map((name) => pod(name, 'Idle')));
    const desired = desiredPods({ inUse: 0, pending: 0, maxIdle: 1, maxPods: 2, legacy: 3 });
    expect(desired).toBe(0);
    expect(surplus(crowd, desired, 0)).toBe(5);
  });

  test('pods on their way out count nowhere; a label that says nothing is Unknown', () => {
    const counted = census([leaving(pod('a', 'Bound')), pod('b', 'Draining'), pod('c', ''), pod('d', 'Terminating')]);
    expect([counted.inUse, counted.free, counted.terminating].map(names)).toEqual([['b'], ['c'], ['d']]);
  });

  test('pods that others made are not for OpenKruise to keep', () => {
    const labels = { 'pool.matrixorigin.io/phase': 'Bound' };
    const own: Pod = { metadata: { name: 'own', labels } };
    const direct: Pod = { metadata: { name: 'direct', labels: { ...labels, 'pool.matrixorigin.io/direct-pod': 'y' } } };
    expect(census([own, direct])).toEqual({ inUse: [own], free: [], terminating: [] });
  });

  test('nothing is chosen to go while claims wait, and replicas never fall below pods that were not chosen', () => {
    const counted = census([pod('a', 'Bound'), pod('b', 'Idle'), pod('c', 'Idle'), pod('d', 'Terminating')]);
    expect(surplus(counted, 1, 0)).toBe(2);
    expect(surplus(counted, 1, 1)).toBe(0);
    expect(replicasFor(counted, 1)).toBe(3);
    expect(replicasFor(counted, 5)).toBe(5);
  });
});

test('scale-in: terminating, unknown, idle and new, idle and old, claimed before, in use [case 14]', () => {
  const before = { 'matrixorigin.io/last-owner': 'x' };
  const pods = [
    pod('bound', 'Bound', { at: 9 }),
    pod('claimed-before', 'Idle', { at: 9, labels: before }),
    pod('old', 'Idle', { at: 1 }),
    pod('new', 'Idle', { at: 8 }),
    pod('unknown', 'Unknown', { at: 1 }),
    pod('terminating', 'Terminating', { at: 1 }),
  ];
  const order = ['terminating', 'unknown', 'new', 'old', 'claimed-before', 'bound'];
  expect(names(pods.toSorted(compareScaleIn))).toEqual(order);
  expect(names(pods.toReversed().toSorted(compareScaleIn))).toEqual(order);
});

describe('which pod a claim takes', () => {
  test('what its owner had last, then the oldest, by the whole time and not by seconds of the minute [case 12]', () => {
    const pods = [
      pod('young', 'Idle', { at: 3_600 + 1 }),
      pod('old', 'Idle', { at: 59 }),
      pod('mine', 'Idle', { at: 9_999, labels: { 'matrixorigin.io/last-owner': 'me' } }),
    ];
    expect(names(candidates(claim('c', { ownerName: 'me' }), pods, []))).toEqual(['mine', 'old', 'young']);
    expect(names(candidates(claim('c'), pods, []))).toEqual(['old', 'young', 'mine']);
  });

  test('only idle ones that match, of its pool, not outdated, staying, and nobody else’s', () => {
    const pods = [
      ...['Unknown', 'Bound', 'Draining', 'Terminating'].map((phase) => pod(phase, phase)),
      pod('other-label', 'Idle', { labels: { app: 'q' } }),
      pod('other-pool', 'Idle', { labels: { 'pool.matrixorigin.io/pool-name': 'two' } }),
      pod('outdated', 'Idle', { labels: { 'matrixorigin.io/outdated': 'y' } }),
      leaving(pod('leaving', 'Idle')),
      { ...pod('failed', 'Idle'), status: { phase: 'Failed' } },
      pod('held', 'Idle'),
      pod('good', 'Idle', { labels: { 'pool.matrixorigin.io/pool-name': 'one' } }),
    ];
    const holder = claim('other', { podName: 'held' });
    expect(names(candidates(claim('c', { poolName: 'one' }), pods, [holder]))).toEqual(['good']);
    expect(names(candidates(claim('c'), pods, [leaving(holder)]))).toContain('held');
    expect(candidates({ metadata: { name: 'none' } }, pods, [])).toEqual([]);
  });

  test.each<[string, readonly CNClaim[], string | undefined]>([
    ['there are no claims', [], undefined],
    ['it has it itself', [claim('c', { podName: 'a' })], undefined],
    ['another has it', [claim('other', { podName: 'a' })], 'other'],
    ['another has another', [claim('other', { podName: 'b' })], undefined],
    ['another has none yet', [claim('other', { podName: '' })], undefined],
    ['the other is being deleted', [leaving(claim('other', { podName: 'a' }))], undefined],
  ])('whether a pod is taken by another claim: %s [case 10]', (_, claims, holder) => {
    expect(otherHolder(claim('c'), 'a', claims)?.metadata.name).toBe(holder);
  });

  test('first those it took before it was cut off, unless another claim is bound to them or they are what it moves away from', () => {
    const mine = { 'pool.matrixorigin.io/claimed-by': 'c' };
    const pods = [pod('a', 'Bound', { labels: mine }), pod('b', 'Bound'), pod('d', 'Draining', { labels: mine })];
    expect(names(orphans(claim('c'), pods, []))).toEqual(['a']);
    expect(orphans(claim('c'), pods, [claim('other', { podName: 'a' })])).toEqual([]);
    expect(names(orphans(claim('c'), pods, [claim('c', { podName: 'a' })]))).toEqual(['a']);
    expect(orphans(claim('c', { sourcePod: { podName: 'a' } }), pods, [])).toEqual([]);
  });
});

test.each(['Failed', 'Succeeded'])('a claim whose pod is %s is lost', async (phase) => {
  const held = { ...pod('a', 'Bound', { labels: { 'pool.matrixorigin.io/claimed-by': 'c' } }), status: { phase } };
  const object = claim('c', { podName: 'a' }, 'Bound');
  const context = { object, status: { phase: 'Bound' }, store: () => ({ get: () => held }) };
  const actor = new CNClaimActor({ cnStores: unmanagedCnStores });
  const action = await actor.observe(context as unknown as ActorContext<CNClaim>);
  expect(action?.name).toBe('Lose');
});

test('migration: wait, give back, report, finish', () => {
  const mine = { 'pool.matrixorigin.io/claimed-by': 'c' };
  const source = pod('s', 'Bound', { labels: mine });
  const step = (at: Pod | undefined, boundFor: number) => migrationStep({ claim: 'c', source: at, boundFor });
  expect(step(undefined, 0)).toEqual({ kind: 'finish' });
  expect(step(source, 5_000)).toEqual({ kind: 'wait', after: 10_000 });
  expect(step(source, 15_000)).toEqual({ kind: 'reclaim' });
  expect(step(pod('s', 'Draining'), 15_000)).toEqual({ kind: 'report', after: 10_000 });
  for (const phase of ['Idle', 'Terminating']) expect(step(pod('s', phase), 15_000)).toEqual({ kind: 'finish' });
  // Given back and claimed by somebody else meanwhile: not ours to drain.
  expect(step(pod('s', 'Bound', { labels: { 'pool.matrixorigin.io/claimed-by': 'x' } }), 15_000).kind).toBe('finish');
});

describe('claim sets', () => {
  const bound = (name: string, phase = 'Bound', more: Partial<Pod> = {}) => ({
    claim: claim(name, { podName: name }, phase),
    pod: { ...pod(name, 'Bound'), spec: { nodeName: 'n', containers: [] }, status: { phase: 'Running' }, ...more },
  });
  const waiting = (name: string) => ({ claim: claim(name, {}, 'Pending'), pod: undefined });

  test('what goes first [case 13]', () => {
    const ready = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } } as Partial<Pod>;
    const cost = (value: string) => ({
      ...pod('x', 'Bound').metadata,
      annotations: { 'controller.kubernetes.io/pod-deletion-cost': value },
    });
    const order = [
      waiting('pending'),
      bound('lost', 'Lost'),
      bound('outdated', 'Outdated'),
      bound('unscheduled', 'Bound', { spec: { containers: [] } }),
      bound('starting', 'Bound', { status: { phase: 'Pending' } }),
      bound('failed', 'Bound', { status: { phase: 'Failed' } }),
      bound('unready'),
      bound('cheap', 'Bound', { ...ready, metadata: cost('1') }),
      bound('dear', 'Bound', { ...ready, metadata: cost('10') }),
    ];
    expect(
      order
        .toReversed()
        .toSorted(compareDeletion)
        .map(({ claim: { metadata } }) => metadata.name),
    ).toEqual(order.map(({ claim: { metadata } }) => metadata.name));
    const at = (name: string, creationTimestamp: string) => ({
      claim: { metadata: { name, creationTimestamp } },
      pod: undefined,
    });
    expect(
      compareDeletion(at('new', '2026-01-02T00:00:00Z') as never, at('old', '2026-01-01T00:00:00Z') as never),
    ).toBeLessThan(0);
  });

  test('come to their number, pending ones first', () => {
    expect(planClaimSet(2, [])).toEqual({ create: 2, remove: [] });
    expect(planClaimSet(2, [bound('a'), bound('b')])).toEqual({ create: 0, remove: [] });
    expect(names(planClaimSet(1, [bound('a'), waiting('w'), bound('b')]).remove)).toEqual(['w', 'a']);
    expect(names(planClaimSet(1, [waiting('v'), waiting('w')]).remove)).toEqual(['v']);
    expect(planClaimSet(0, [bound('a')]).remove).toHaveLength(1);
  });

  test('replace outdated pods one by one', () => {
    const outdated = [bound('a', 'Outdated'), bound('b', 'Outdated')];
    expect(planClaimSet(2, outdated)).toEqual({ create: 1, remove: [] });
    expect(planClaimSet(2, [...outdated, waiting('c')])).toEqual({ create: 0, remove: [] });
    expect(names(planClaimSet(2, [...outdated, bound('c')]).remove)).toEqual(['a']);
    expect(planClaimSet(2, [bound('b', 'Outdated'), bound('c')])).toEqual({ create: 1, remove: [] });
    expect(names(planClaimSet(2, [bound('b', 'Outdated'), bound('c'), bound('d')]).remove)).toEqual(['b']);
  });

  test('leave claims alone whose sessions are on the move', () => {
    const moving = bound('a');
    const busy = {
      ...moving,
      claim: { ...moving.claim, spec: { ...claim('a').spec, podName: 'a', sourcePod: { podName: 's' } } },
    };
    expect(planClaimSet(0, [busy as never])).toEqual({ create: 0, remove: [] });
  });
});
