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
