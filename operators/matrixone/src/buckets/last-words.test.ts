import type { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { lastWordsOf } from './last-words.ts';

const end = (message: string | undefined, exitCode = 1) => ({
  exitCode,
  ...(message === undefined ? {} : { message }),
});
const pod = (state: object, lastState: object = {}) =>
  ({ status: { containerStatuses: [{ name: 'main', state, lastState }] } }) as unknown as Pod;

test.each<[string, readonly Pod[], string]>([
  ['nothing has ended', [pod({ running: {} })], ''],
  ['it went well', [pod({ terminated: end('cleaning: no', 0) })], ''],
  ['the script has failed', [pod({ terminated: end('delete: a\ncleaning: no such key\n') })], 'cleaning: no such key'],
  ['it runs again', [pod({ running: {} }, { terminated: end('cleaning: no\n') })], 'cleaning: no'],
  [
    'another program spoke last',
    [pod({ terminated: end('cleaning: first\nTraceback: key=hunter2') })],
    'cleaning: first',
  ],
  ['only others spoke', [pod({ terminated: end('Traceback: key=hunter2') })], ''],
  ['nobody spoke', [pod({ terminated: end(undefined, 137) })], ''],
])('only what the script itself says of its failure is told: %s', (_, pods, told) => {
  expect(lastWordsOf(pods)).toBe(told);
});

const waiting = (reason: string, message?: string) => pod({ waiting: { reason, ...(message && { message }) } });
const unplaced = (status: string) =>
  ({
    metadata: { name: 'job-1' },
    status: { conditions: [{ type: 'PodScheduled', status, reason: 'Unschedulable', message: '0/1 nodes' }] },
  }) as unknown as Pod;

test.each<[string, Pod, string]>([
  [
    'no image',
    waiting('ImagePullBackOff', 'Back-off pulling image "a": ErrImagePull: no such tag'),
    'container main does not start: its image cannot be pulled: no such tag',
  ],
  [
    'no image, at the next try',
    waiting('ErrImagePull', 'no such tag'),
    'container main does not start: its image cannot be pulled: no such tag',
  ],
  [
    'no Secret',
    waiting('CreateContainerConfigError', 'secret "s3" not found'),
    'container main does not start: CreateContainerConfigError: secret "s3" not found',
  ],
  ['a reason alone', waiting('InvalidImageName'), 'container main does not start: InvalidImageName'],
  ['no node', unplaced('False'), 'its pod finds no node: 0/1 nodes'],
  ['a node', unplaced('True'), ''],
  ['it is being made', waiting('ContainerCreating'), ''],
  ['it is about to be tried again', waiting('CrashLoopBackOff', 'back-off 10s'), ''],
])('a pod that does not start says why: %s', (_, one, told) => {
  expect(lastWordsOf([one])).toBe(told);
});

test('what the script said goes before what a later pod waits for', () => {
  const failed = pod({ terminated: end('cleaning: no') });
  expect(lastWordsOf([waiting('ErrImagePull'), failed])).toBe('cleaning: no');
});
