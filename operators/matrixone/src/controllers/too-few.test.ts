import { expect, test } from 'vitest';
import { podCount, tooFew } from './too-few.ts';

test('one is told of as one', () => {
  expect(tooFew(1, { one: 'proxy', many: 'proxies' }, 'ready')).toBe('no proxy is ready');
  expect(tooFew(3, { one: 'proxy', many: 'proxies' }, 'ready')).toBe('fewer than 3 proxies are ready');
  expect([0, 1, 2].map(podCount)).toEqual(['0 pods', '1 pod', '2 pods']);
});
