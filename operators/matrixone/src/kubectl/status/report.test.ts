import type { Pod } from '@coxswain/k8s';
import { parseTime } from '@coxswain/runtime/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  Backup,
  BackupJob,
  BucketClaim,
  CNSet,
  LogSet,
  MatrixOneCluster,
  RestoreJob,
  WebUI,
} from '../../api/index.ts';
import type { Collected } from './collect.ts';
import { reports } from './report.ts';
import { treeLines } from './tree.ts';

const now = parseTime('2026-01-01T01:00:00Z');
const owner = {
  apiVersion: 'core.matrixorigin.io/v1alpha1',
  kind: 'MatrixOneCluster',
  name: 'mo',
  uid: 'u1',
  controller: true,
};
const namespace = 'prod';
const good = ['Ready', 'Synced'].map((type) => ({ type, status: 'True', reason: 'Ok', message: 'ok' }));

const cluster = {
  metadata: { name: 'mo', namespace, uid: 'u1' },
  spec: { version: 'v2.2.0' },
  status: { phase: 'Ready', conditions: good },
} as unknown as MatrixOneCluster;

const group = {
  metadata: { name: 'mo-tp', namespace, ownerReferences: [owner] },
  spec: { replicas: 1, image: 'mo:v2.2.0', scalingConfig: { storeDrainEnabled: true, storeDrainTimeout: '10m' } },
  status: { conditions: good },
} as unknown as CNSet;

function node(name: string, metadata: object, gate: object): Pod {
  const { labels, ...more } = metadata as { labels?: object };
  const own = { 'matrixorigin.io/component': 'CNSet', 'matrixorigin.io/instance': 'mo-tp' };
  return {
    metadata: { name, namespace, labels: { ...own, ...labels }, ...more },
    spec: { containers: [{ name: 'main', image: 'mo:v2.1.0' }] },
    status: { conditions: [{ type: 'matrixorigin.io/cn-store', ...gate }] },
  } as unknown as Pod;
}

function found(objects: Partial<Collected>): Collected {
  const none = { logSets: [], dnSets: [], cnSets: [], proxySets: [], webUIs: [], claims: [], backupJobs: [] };
  return { clusters: [], ...none, restoreJobs: [], backups: [], statefulSets: [], pods: [], unread: [], ...objects };
}

function drawn(objects: Partial<Collected>): string {
  return reports(found(objects), now)
    .flatMap((report) => treeLines(report, { now }))
    .join('\n');
}

test('a node that drains: since when, what it waits for, how long at most, and what comes then', () => {
  const score = { sessionCount: 2, pipelineCount: 1, replicaCount: 0 };
  const pod = node(
    'mo-tp-cn-a',
    {
      labels: { 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' },
      annotations: {
        'matrixorigin.io/store-draining-start': '2026-01-01T00:58:30Z',
        'matrixorigin.io/score': JSON.stringify(score),
      },
    },
    { status: 'False', reason: 'CNStorePrepareStop', message: 'waits for 2 sessions, 1 pipeline' },
  );
  const text = drawn({ clusters: [cluster], cnSets: [group], pods: [pod] });
  expect(text).toMatchInlineSnapshot(`
    "MatrixOneCluster prod/mo: waits for CNSet mo-tp: Pod mo-tp-cn-a: Draining for 1m30s, waits for 2 sessions, 1 pipeline, at most 8m30s more; PreparingUpdate
    ○ MatrixOneCluster/mo   Ready, v2.2.0
    ○ └─ CNSet/mo-tp        0/1 up, though its conditions say that all is well: does the operator run?, v2.2.0, 2 sessions
    ○    └─ Pod/mo-tp-cn-a  Draining for 1m30s, waits for 2 sessions, 1 pipeline, at most 8m30s more; PreparingUpdate  v2.1.0 → v2.2.0"
  `);
  const [report] = reports(found({ clusters: [cluster], cnSets: [group], pods: [pod] }), now);
  expect(report?.children[0]?.children[0]?.facts).toMatchObject({
    sessions: 2,
    pipelines: 1,
    drainSecondsLeft: 510,
    lifecycle: 'PreparingUpdate',
    becomes: 'v2.2.0',
  });
});

test('paths, backups and restores of a cluster, and of no other', () => {
  const logSet = { metadata: { name: 'mo', namespace, ownerReferences: [owner] }, spec: { replicas: 0 } };
  const claim = (name: string, bindTo: string) =>
    ({
      metadata: { name, namespace },
      spec: { s3: { path: `lake/${name}` } },
      status: { bindTo, state: 'InUse' },
    }) as unknown as BucketClaim;
  const job = (name: string, clusterRef: string, status: object) =>
    ({
      kind: 'BackupJob',
      metadata: { name, namespace, creationTimestamp: '2026-01-01T00:50:00Z' },
      spec: { source: { clusterRef } },
      status,
    }) as unknown as BackupJob;
  const conditions = [{ type: 'Ended', status: 'False', reason: 'JobFailed', message: 'no bucket' }];
  const restoreJob = {
    kind: 'RestoreJob',
    metadata: { name: 'restore-mo', namespace, creationTimestamp: '2026-01-01T00:10:00Z' },
    spec: { backupName: 'b0' },
    status: { phase: 'Completed' },
  } as unknown as RestoreJob;
  const meta = { id: '0192', atTime: '2025-12-31T01:00:00Z', size: '12M', sourceRef: 'matrixonecluster/prod/mo' };
  const text = drawn({
    clusters: [cluster],
    logSets: [logSet as unknown as LogSet],
    claims: [claim('ours', 'prod/mo'), claim('theirs', 'prod/other')],
    backupJobs: [job('nightly', 'mo', { phase: 'Failed', conditions }), job('theirs', 'other', { phase: 'Running' })],
    restoreJobs: [restoreJob],
    backups: [{ metadata: { name: 'b1' }, meta } as unknown as Backup],
  });
  expect(text).toMatchInlineSnapshot(`
    "MatrixOneCluster prod/mo: is ready, and waits for LogSet mo: 0/0 up
    ● MatrixOneCluster/mo       Ready, v2.2.0
    ○ ├─ LogSet/mo              0/0 up
    ● ├─ BucketClaim/ours       lake/ours, InUse, owner prod/mo
    · ├─ RestoreJob/restore-mo  Completed, backup b0, made 50m ago
    ✗ ├─ BackupJob/nightly      Failed, made 10m ago
      │                         ! Ended is False (JobFailed): no bucket
    · └─ Backup/b1              shows 1d ago, 12M"
  `);
});

test('hands off, and a set that belongs to no cluster', () => {
  const annotations = { 'matrixorigin.io/skip-sync': 'y' };
  const alone = { ...group, metadata: { name: 'far', namespace }, spec: { ...group.spec, replicas: 0 } };
  const pods = [node('mo-tp-cn-a', {}, { status: 'True' })];
  const paused = { ...cluster, metadata: { ...cluster.metadata, annotations } };
  expect(drawn({ clusters: [paused], cnSets: [group, alone], pods })).toMatchInlineSnapshot(`
    "MatrixOneCluster prod/mo: all is as it should be
    ● MatrixOneCluster/mo   Ready, v2.2.0, hands off (annotation matrixorigin.io/skip-sync)
    ● └─ CNSet/mo-tp        1/1 up, v2.2.0
    ●    └─ Pod/mo-tp-cn-a  Up  v2.1.0 → v2.2.0
    CNSet prod/far: all is as it should be
    ● CNSet/far  0/0 up, v2.2.0"
  `);
  expect(reports(found({ clusters: [paused], cnSets: [group, alone] }), now, 'far').map(({ kind }) => kind)).toEqual([
    'CNSet',
  ]);
});

test('whatever texts objects have, they cannot steer the terminal, and nothing is lost', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
  const nasty = fc.string({
    unit: fc.constantFrom('\u001b', '[2J', '\n', '\r', '\u009b', '\u202e', 'a', ' ', '"', '\u0000'),
  });
  fc.assert(
    fc.property(nasty, nasty, nasty, fc.anything(), (name, message, text, garbage) => {
      const annotations = {
        'matrixorigin.io/score': text,
        'matrixorigin.io/store-draining-start': text,
        'matrixorigin.io/confirm-failover': String(JSON.stringify(garbage)),
      };
      const pod = node(name, { annotations }, { status: 'False', reason: text, message });
      const conditions = [{ type: 'Ready', status: 'False', reason: text, message, lastTransitionTime: text }];
      const set = { ...group, status: { conditions } } as unknown as CNSet;
      const lines = reports(found({ clusters: [cluster], cnSets: [set], pods: [pod] }), now).flatMap((report) =>
        treeLines(report, { now, wide: true }),
      );
      expect(lines).toHaveLength(5);
      expect(lines.filter((line) => steering.test(line))).toEqual([]);
    }),
  );
});

test('objects of which nothing is known yet', () => {
  const bare = (kind: string) => ({ kind, metadata: { name: 'mo', namespace }, spec: {} });
  const text = drawn({
    clusters: [bare('MatrixOneCluster') as unknown as MatrixOneCluster],
    logSets: [bare('LogSet') as unknown as LogSet],
    cnSets: [bare('CNSet') as unknown as CNSet],
    pods: [{ metadata: { name: 'p', namespace } }],
  });
  expect(text).toContain('○ MatrixOneCluster/mo  not known yet');
  expect(text).not.toMatch(/undefined|NaN|null/);
});

/** Three log stores that are up, as their set says. */
const logSet = {
  metadata: { name: 'mo', namespace, ownerReferences: [owner] },
  spec: { replicas: 3, image: 'mo:v2.2.0' },
  status: {
    conditions: good,
    availableStores: [0, 1, 2].map((ordinal) => ({
      podName: `mo-log-${ordinal}`,
      phase: 'Up',
      lastTransition: '2026-01-01T00:00:00Z',
    })),
  },
} as unknown as LogSet;

function store(ordinal: number, leads?: string, status = 'True'): Pod {
  return {
    metadata: {
      name: `mo-log-${ordinal}`,
      namespace,
      labels: { 'matrixorigin.io/component': 'LogSet', 'matrixorigin.io/instance': 'mo' },
      annotations: leads === undefined ? {} : { 'matrixorigin.io/leads-shards': leads },
    },
    spec: { containers: [{ name: 'main', image: 'mo:v2.2.0' }] },
    status: { conditions: [{ type: 'Ready', status }] },
  } as unknown as Pod;
}

test('a status that nobody writes any more is not believed where the pods say otherwise', () => {
  const pods = [store(0), store(1, undefined, 'False'), node('mo-tp-cn-a', {}, { status: 'True' })];
  const ready = { type: 'Ready', status: 'False' };
  const lost = { ...pods[2], status: { conditions: [...(pods[2]?.status?.conditions ?? []), ready] } } as Pod;
  const objects = { clusters: [cluster], logSets: [logSet], cnSets: [group], pods: [...pods.slice(0, 2), lost] };
  expect(drawn(objects)).toMatchInlineSnapshot(`
    "MatrixOneCluster prod/mo: waits for LogSet mo: Pod mo-log-1: said to be Up for 1h, and not ready
    ○ MatrixOneCluster/mo   Ready, v2.2.0
    ○ ├─ LogSet/mo          1/3 up, though its conditions say that all is well: does the operator run?, v2.2.0
    ● │  ├─ Pod/mo-log-0    Up for 1h  v2.2.0
    ○ │  ├─ Pod/mo-log-1    said to be Up for 1h, and not ready  v2.2.0
    ○ │  └─ Pod/mo-log-2    said to be Up for 1h; its pod is gone
    ○ └─ CNSet/mo-tp        0/1 up, though its conditions say that all is well: does the operator run?, v2.2.0
    ○    └─ Pod/mo-tp-cn-a  Up, and its pod is not ready  v2.1.0 → v2.2.0"
  `);
  expect(reports(found(objects), now).map(({ health }) => health)).toEqual(['waiting']);
});

test('a dashboard that does not run, and a group on its way out, keep no cluster from being well', () => {
  const failing = [
    { type: 'Ready', status: 'False', reason: 'NoEnoughReadyStores', message: 'none' },
    { type: 'Synced', status: 'True', reason: 'Ok', message: 'ok' },
  ];
  const metadata = { name: 'mo', namespace, ownerReferences: [owner] };
  const dashboard = { metadata, spec: { replicas: 1 }, status: { conditions: failing } } as unknown as WebUI;
  const leaving = {
    ...group,
    metadata: { ...group.metadata, name: 'mo-ap', deletionTimestamp: '2026-01-01T00:59:00Z' },
  };
  const wellOf = (objects: Partial<Collected>) => reports(found(objects), now).map(({ health }) => health);
  expect(wellOf({ clusters: [cluster], webUIs: [dashboard] })).toEqual(['ok']);
  expect(wellOf({ clusters: [cluster], cnSets: [leaving] })).toEqual(['ok']);
  expect(wellOf({ clusters: [cluster], cnSets: [group] })).toEqual(['waiting']);
});

test('pods that the user may not read are not taken for gone', () => {
  const objects = { clusters: [cluster], logSets: [logSet], cnSets: [group], podsUnread: true as const };
  expect(drawn(objects)).toMatchInlineSnapshot(`
    "MatrixOneCluster prod/mo: all is as it should be
    ● MatrixOneCluster/mo  Ready, v2.2.0
    ● ├─ LogSet/mo         3/3 up, v2.2.0
    ● │  ├─ Pod/mo-log-0   Up for 1h
    ● │  ├─ Pod/mo-log-1   Up for 1h
    ● │  └─ Pod/mo-log-2   Up for 1h
    ● └─ CNSet/mo-tp       1 pod wanted, v2.2.0"
  `);
  const [report] = reports(found(objects), now);
  expect(report?.children.map(({ facts }) => facts['up'])).toEqual([3, undefined]);
});

test('which log stores lead is told of those that run', () => {
  const objects = {
    clusters: [cluster],
    logSets: [logSet],
    pods: [store(0, '0,1'), store(1, '2,x'), store(2, undefined)],
  };
  expect(drawn(objects)).toMatchInlineSnapshot(`
    "MatrixOneCluster prod/mo: all is as it should be
    ● MatrixOneCluster/mo  Ready, v2.2.0
    ● └─ LogSet/mo         3/3 up, v2.2.0
    ●    ├─ Pod/mo-log-0   Up for 1h, leader of HAKeeper, shard 1  v2.2.0
    ●    ├─ Pod/mo-log-1   Up for 1h, leader of shard 2  v2.2.0
    ●    └─ Pod/mo-log-2   Up for 1h  v2.2.0"
  `);
  const [report] = reports(found(objects), now);
  expect(report?.children[0]?.children.map(({ facts }) => facts['leadsShards'])).toEqual(['0,1', '2', undefined]);
  // What one led that does not run is another's by now, or nobody's.
  expect(drawn({ ...objects, pods: [store(0, '0,1', 'False')] })).not.toContain('leader');
});

test('a group with a pod more than wanted is on its way, although it is Synced', () => {
  const up = (name: string) =>
    node(name, { labels: { 'matrixorigin.io/cn-store-phase': 'Up' } }, { status: 'True', reason: 'CNStoreReady' });
  const text = drawn({ clusters: [cluster], cnSets: [group], pods: [up('mo-tp-cn-a'), up('mo-tp-cn-b')] });
  expect(text.split('\n')[0]).toBe(
    'MatrixOneCluster prod/mo: is ready, and waits for CNSet mo-tp: 2/1 up, 1 pod more than wanted, until the others have been ready for a while, v2.2.0',
  );
  expect(text).toContain('○ └─ CNSet/mo-tp');
});

test('a node that is updated after its drain waits for nothing any more', () => {
  const labels = { 'lifecycle.apps.kruise.io/state': 'Updating' };
  const gate = { status: 'False', reason: 'CNStorePrepareStop', message: 'waits for 2 sessions' };
  const text = drawn({ clusters: [cluster], cnSets: [group], pods: [node('mo-tp-cn-a', { labels }, gate)] });
  expect(text).toContain('Pod/mo-tp-cn-a  Drained; Updating');
});

test('a HAKeeper that does not answer is what a cluster waits for, though all of its sets are ready', () => {
  const silent = { type: 'HaKeeperSilent', status: 'True', reason: 'NoAnswer', message: 'HAKeeper has not answered' };
  const logSet = {
    metadata: { name: 'mo', namespace, ownerReferences: [owner] },
    spec: { replicas: 0, image: 'mo:v2.2.0' },
    status: { conditions: [...good, silent] },
  } as unknown as LogSet;
  const [first, ...tree] = drawn({ clusters: [cluster], logSets: [logSet] }).split('\n');
  expect(first).toBe('MatrixOneCluster prod/mo: is ready, and waits for LogSet mo: HAKeeper has not answered');
  expect(tree.join('\n')).toMatch(
    /✗ └─ LogSet\/mo.*\n.*! HaKeeperSilent is True \(NoAnswer\): HAKeeper has not answered/,
  );
});

test('a long message of a condition is cut, but not when the tree is wide', () => {
  const long = 'x'.repeat(400);
  const failing = { type: 'PodsFailing', status: 'True', reason: 'ImagePull', message: long };
  const set = { ...group, status: { conditions: [...good, failing] } } as unknown as CNSet;
  const trees = [false, true].map((wide) =>
    reports(found({ clusters: [cluster], cnSets: [set] }), now)
      .flatMap((report) => treeLines(report, { now, wide }).slice(1))
      .join('\n'),
  );
  expect(trees.map((tree) => tree.includes(long))).toEqual([false, true]);
  expect(trees[0]).toContain(`${'x'.repeat(240)}…`);
});
