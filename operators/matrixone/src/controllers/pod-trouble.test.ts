import type { Pod, PodStatus } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { formatTime } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { isOfTheSpec, podTrouble } from './pod-trouble.ts';

const now = Date.UTC(2026, 0, 2);
const ago = (seconds: number) => formatTime(now - seconds * 1_000);

function podWith(status: PodStatus, metadata: Partial<Pod['metadata']> = {}): Pod {
  const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'mo:1' }] };
  return { metadata: { name: 'mo-log-0', creationTimestamp: ago(600), ...metadata }, spec, status };
}

const condition = (type: string, status: string, seconds: number, more: object = {}) => ({
  type,
  status,
  lastTransitionTime: ago(seconds),
  ...more,
});
const container = (state: object, more: object = {}) => ({
  containerStatuses: [{ name: 'main', image: 'mo:1', imageID: '', ready: false, restartCount: 0, state, ...more }],
});
const waiting = (reason: string, message = '') => container({ waiting: { reason, message } });
const ended = (exitCode: number) => ({ exitCode, startedAt: ago(10), finishedAt: ago(5) });

test.each<[string, PodStatus, string | undefined]>([
  ['a pod that is ready', { conditions: [condition('Ready', 'True', 5)] }, undefined],
  ['one on its way', { conditions: [condition('Ready', 'False', 59)], ...waiting('ContainerCreating') }, undefined],
  ['one that waits for a node for a moment', { conditions: [condition('PodScheduled', 'False', 9)] }, undefined],
  [
    'one that no node takes',
    { conditions: [condition('PodScheduled', 'False', 10, { message: '0/3 nodes are available' })] },
    'Unschedulable no node takes it: 0/3 nodes are available',
  ],
  [
    'an image that is not there',
    waiting('ErrImagePull', 'not found'),
    'ImagePull image mo:1 of container main cannot be pulled: not found',
  ],
  [
    'the same in the pause after',
    waiting('ImagePullBackOff', 'Back-off pulling image "mo:1": ErrImagePull: not found'),
    'ImagePull image mo:1 of container main cannot be pulled: not found',
  ],
  [
    'the same of older kubelets',
    waiting('ImagePullBackOff', 'Back-off pulling image "mo:1"'),
    'ImagePull image mo:1 of container main cannot be pulled',
  ],
  [
    'a Secret that is not there',
    waiting('CreateContainerConfigError', 'secret "s3" not found'),
    'ContainerNotMade container main cannot start: secret "s3" not found',
  ],
  [
    'one that ends again and again',
    container(
      { waiting: { reason: 'CrashLoopBackOff' } },
      { restartCount: 3, lastState: { terminated: { ...ended(137), reason: 'OOMKilled' } } },
    ),
    'Crashing container main ends soon after each start, last with exit code 137 (OOMKilled)',
  ],
  [
    'one that was stopped as asked',
    container({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 3, lastState: { terminated: ended(0) } }),
    undefined,
  ],
  [
    'one without volumes',
    { conditions: [condition('Ready', 'False', 60)], ...waiting('ContainerCreating') },
    'VolumesMissing its containers are not made: its volumes, or its network, are missing',
  ],
  [
    'one whose probes fail',
    {
      conditions: [condition('Ready', 'False', 60, { message: 'containers with unready status: [main]' })],
      ...container({ running: {} }),
    },
    'NotReady it runs and does not become ready: containers with unready status: [main]',
  ],
  [
    'one that was evicted',
    { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage.' },
    'PodFailed it has failed and is replaced: Evicted: The node was low on resource: ephemeral-storage.',
  ],
])('%s', (_what, status, told) => {
  const trouble = podTrouble(podWith(status), now);
  expect(trouble && `${trouble.reason} ${trouble.message}`).toBe(told);
});

test('a node that is in no service is in trouble, unless it drains or somebody keeps it out', () => {
  const of = (reason: string) =>
    podTrouble(
      podWith({
        conditions: [
          condition('Ready', 'False', 60),
          condition('ContainersReady', 'True', 60),
          condition('matrixorigin.io/cn-store', 'False', 60, { reason, message: 'HAKeeper does not know it' }),
        ],
        ...container({ running: {} }),
      }),
      now,
    )?.reason;
  expect(['CNStoreNotRegistered', 'CNStoreUnknown', 'CNStorePrepareStop', 'CNStoreCordon'].map(of)).toEqual([
    'NotInService',
    'NotInService',
    undefined,
    undefined,
  ]);
});

test('a pod that is deleted is in trouble when it does not go', () => {
  const of = (seconds: number, finalizers: string[] = []) =>
    podTrouble(podWith({}, { deletionTimestamp: ago(seconds), finalizers }), now)?.message;
  expect(of(59)).toBeUndefined();
  expect(of(60)).toBe('it is being deleted and does not go: node n1 does not say that it has ended');
  expect(of(60, ['a/b'])).toBe('it is being deleted and does not go: held by a/b');
});

test('what has crashed is not well because it runs again, but because it goes on to', () => {
  const of = (seconds: number, before?: string) =>
    podTrouble(
      podWith(
        container({ running: { startedAt: ago(seconds) } }, { restartCount: 3, lastState: { terminated: ended(1) } }),
      ),
      now,
      before,
    )?.reason;
  expect([of(5), of(5, 'Crashing'), of(60, 'Crashing')]).toEqual([undefined, 'Crashing', undefined]);
});

test('an image that the set is told to have is of the spec, also in a pod that others put containers into', () => {
  const main = { name: 'main', image: 'matrixone:none' };
  const workload = {
    metadata: { generation: 1 },
    spec: { template: { spec: { containers: [main] } } },
    status: { observedGeneration: 1, updateRevision: 'r1' },
  } as unknown as KruiseStatefulSet;
  const pod = (...containers: object[]) =>
    ({ metadata: { labels: { 'controller-revision-hash': 'r1' } }, spec: { containers } }) as unknown as Pod;
  const trouble = { reason: 'ImagePull', message: 'image matrixone:none cannot be pulled' };
  expect(isOfTheSpec(trouble, pod(main), workload)).toBe(true);
  expect(isOfTheSpec(trouble, pod(main, { name: 'istio-proxy', image: 'proxy:1' }), workload)).toBe(true);
  expect(isOfTheSpec(trouble, pod({ ...main, image: 'matrixone:other' }), workload)).toBe(false);
});
