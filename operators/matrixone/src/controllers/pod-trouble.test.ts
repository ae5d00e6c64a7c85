import type { Pod, PodStatus } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { formatTime } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { isOfTheSpec, podTrouble, untilUnschedulable } from './pod-trouble.ts';

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
    "an image that is not the pod's any more",
    container({ waiting: { reason: 'ErrImagePull', message: 'not found' } }, { image: 'mo:bad' }),
    'ImagePull image mo:bad of container main cannot be pulled: not found; mo:1, which it has now, is not tried yet',
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

test('when it will be in trouble is known of a pod that waits for a node', () => {
  const of = (status: string, seconds: number, metadata: Partial<Pod['metadata']> = {}) =>
    untilUnschedulable(podWith({ conditions: [condition('PodScheduled', status, seconds)] }, metadata), now);
  expect([of('False', 0), of('False', 9), of('False', 10), of('True', 0)]).toEqual([
    10_000,
    1_000,
    undefined,
    undefined,
  ]);
  expect(of('False', 0, { deletionTimestamp: ago(0) })).toBeUndefined();
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

/** The trouble of a container that has ended after `lasted` seconds, and whose run now is so many seconds old; none: it waits for its next. */
const crashed = (lasted: number, restartCount: number, runs?: number, more: object = {}) => {
  const end = { exitCode: 1, startedAt: ago(400 + lasted), finishedAt: ago(400), ...more };
  const state =
    runs === undefined ? { waiting: { reason: 'CrashLoopBackOff' } } : { running: { startedAt: ago(runs) } };
  return podTrouble(podWith(container(state, { restartCount, lastState: { terminated: end } })), now);
};

test('what has crashed is not well because it runs again, but because it goes on to', () => {
  const of = (...run: Parameters<typeof crashed>) => crashed(...run)?.message;
  const soon = 'container main ends soon after each start, last with exit code 1';
  expect([of(59, 3), of(59, 3, 5), of(59, 3, 59), of(59, 3, 60)]).toEqual([soon, soon, soon, undefined]);
  // Once may be chance, and a run that was no short one was well.
  expect([of(59, 1, 5), of(60, 3, 5)]).toEqual([undefined, undefined]);
  expect(of(60, 3)).toBe('container main ends again and again, last with exit code 1, and waits for its next start');
});

test('a pod that crashes is told of whatever was told before, also in words about others', () => {
  const states = [crashed(2, 1), crashed(2, 2, 1), crashed(2, 2), crashed(2, 3, 1)];
  expect(new Set(states.map((trouble) => JSON.stringify(trouble))).size).toBe(1);
});

test('what a container said last is not repeated: it may be of its log, and hold secrets', () => {
  expect(crashed(2, 3, undefined, { message: 'connect s3://id:hunter2@store' })?.message).not.toContain('hunter2');
  expect(crashed(2, 3, 1, { message: 'password hunter2' })?.message).not.toContain('hunter2');
});

test('why a container could not be started is said: those are words of the node', () => {
  const end = { exitCode: 128, reason: 'StartError', message: 'exec: "/bin/sh": no such file' };
  expect(crashed(0, 3, undefined, end)?.message).toBe(
    'container main ends soon after each start, last with exit code 128 (StartError): exec: "/bin/sh": no such file',
  );
});

test('a node that ends by itself may do so for its storage; one that is killed, or another container, does not', () => {
  const of = (name: string, exitCode: number) => {
    const end = { terminated: { ...ended(exitCode) } };
    const status = container({ waiting: { reason: 'CrashLoopBackOff' } }, { name, restartCount: 3, lastState: end });
    return podTrouble(podWith(status), now)?.mayBeStorage;
  };
  expect([of('main', 1), of('main', 2), of('main', 137), of('agent', 2)]).toEqual([true, true, undefined, undefined]);
});

test('one that ends without a failure again and again is named as such, not its volumes', () => {
  const end = { terminated: ended(0) };
  const status = container({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 3, lastState: end });
  const trouble = podTrouble(podWith({ conditions: [condition('Ready', 'False', 60)], ...status }), now);
  expect(trouble).toEqual({
    reason: 'Crashing',
    message: 'container main ends soon after each start, last with exit code 0',
  });
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
