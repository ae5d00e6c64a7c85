import { expect, test } from 'vitest';
import { pullCause } from './pull-cause.ts';

test.each([
  ['Back-off pulling image "a:1": ErrImagePull: no such tag', 'no such tag'],
  ['Back-off pulling image "a:1"', ''],
  ['no such tag', 'no such tag'],
  ['', ''],
])('trying and pausing have the same cause: %s', (message, cause) => {
  expect(pullCause(message)).toBe(cause);
});
