import type { Job, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { podState } from './pod-state.ts';

const job: Job = { metadata: { name: 'bk', uid: 'now' } };
const ownedBy = (uid: string): Pod['metadata'] => ({
  name: 'bk-1',
  ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'bk', uid, controller: true }],
});
const container = { name: 'br', image: 'x', imageID: '', ready: false, restartCount: 0 };
const waiting = (reason: string, message: string): Pod => ({
  metadata: ownedBy('now'),
  status: { containerStatuses: [{ ...container, state: { waiting: { reason, message } } }] },
});

test.each([
  ['none', [], 'PodNotRunning', 'it has no pod yet'],
  [
    'without its Secret',
    [waiting('CreateContainerConfigError', 'secret "keys" not found')],
    'SecretMissing',
    'pod bk-1 waits: CreateContainerConfigError: secret "keys" not found',
  ],
  [
    'without a ConfigMap',
    [waiting('CreateContainerConfigError', 'configmap "a" not found')],
    'PodNotRunning',
    'pod bk-1 waits: CreateContainerConfigError: configmap "a" not found',
  ],
  [
    'without its image',
    [waiting('ImagePullBackOff', 'no secret lets in')],
    'PodNotRunning',
    'pod bk-1 waits: ImagePullBackOff: no secret lets in',
  ],
  [
    'without a node',
    [
      {
        metadata: ownedBy('now'),
        status: { conditions: [{ type: 'PodScheduled', status: 'False', message: 'no node fits' }] },
      },
    ],
    'PodNotRunning',
    'pod bk-1 does not run yet: no node fits',
  ],
] as const)('a pod %s waits, and why is told', (_, pods, reason, message) => {
  expect(podState(pods as unknown as readonly Pod[], job)).toEqual({ is: 'waits', reason, message });
});

test('a pod whose program was started can answer', () => {
  const state = { running: { startedAt: '2026-01-02T03:04:05Z' } };
  const pod: Pod = { metadata: ownedBy('now'), status: { containerStatuses: [{ ...container, state }] } };
  expect(podState([pod], job)).toEqual({ is: 'runs', reason: 'StatusUnreachable' });
});

test('an earlier pod that may still answer is waited for, one that is over is not', () => {
  const own: Pod = { metadata: ownedBy('now'), status: { containerStatuses: [container] } };
  const earlier = (phase: string): Pod => ({ metadata: { ...ownedBy('before'), name: 'bk-0' }, status: { phase } });
  expect(podState([own, earlier('Running')], job)).toEqual({
    is: 'waits',
    reason: 'PodNotRunning',
    message: 'pod bk-0, which may answer in its place, is not gone yet',
  });
  expect(podState([earlier('Succeeded'), own], job)).toEqual({ is: 'runs', reason: 'StatusUnreachable' });
});
