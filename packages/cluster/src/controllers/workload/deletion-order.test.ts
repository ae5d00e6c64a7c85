import type { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { byDeletionOrder, countByNode } from './deletion-order.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString().replace('.000', '');

interface Facts {
  readonly node?: string;
  readonly phase?: string;
  readonly readyFor?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly age?: number;
}

function pod(name: string, { node = 'n', phase = 'Running', readyFor = 3600, age = 7200, ...more }: Facts): Pod {
  const ready = { type: 'Ready', status: readyFor < 0 ? 'False' : 'True', lastTransitionTime: ago(readyFor) };
  const annotations = more.cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': more.cost };
  return {
    metadata: { name, uid: name, creationTimestamp: ago(age), annotations },
    spec: {
      containers: [],
      initContainers: [{ name: 's', restartPolicy: 'Always' }],
      ...(node ? { nodeName: node } : {}),
    },
    status: {
      phase,
      conditions: [ready],
      containerStatuses: [{ name: 'c', restartCount: more.restarts ?? 0 }],
      initContainerStatuses: [{ name: 's', restartCount: more.sidecarRestarts ?? 0 }],
    },
  } as unknown as Pod;
}

test.each<[why: string, first: Facts, second: Facts]>([
  ['no node', { node: '', cost: '9' }, {}],
  ['pending', { phase: 'Pending', cost: '9' }, { cost: '1' }],
  ['not ready', { readyFor: -1, cost: '9' }, { cost: '1' }],
  ['cheaper', { cost: '-1', age: 9999 }, {}],
  ['a cost that is no number is none', { cost: '1.5' }, { cost: '1' }],
  ['ready for less long', { readyFor: 10, restarts: 0 }, { readyFor: 3600, restarts: 9 }],
  ['restarted more often', { restarts: 2 }, { restarts: 1 }],
  ['its sidecar restarted more often', { sidecarRestarts: 2 }, { sidecarRestarts: 1 }],
  ['younger', { age: 3700 }, { age: 90_000 }],
])('%s goes first', (_why, first, second) => {
  // whatever their uids say
  for (const [a, b] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    const pods = [pod(b, second), pod(a, first)];
    expect(pods.sort(byDeletionOrder(countByNode([]), now)).map(({ metadata }) => metadata.name)).toEqual([a, b]);
  }
});

test('of ages of the same order of magnitude the uid decides; where there are more siblings, one goes before', () => {
  const order = byDeletionOrder(
    new Map([
      ['full', 3],
      ['n', 1],
    ]),
    now,
  );
  expect([pod('b', { readyFor: 100 }), pod('a', { readyFor: 101 })].sort(order)[0]?.metadata.name).toBe('a');
  expect([pod('a', {}), pod('b', { node: 'full', readyFor: 9999, age: 99_999 })].sort(order)[0]?.metadata.name).toBe(
    'b',
  );
});
