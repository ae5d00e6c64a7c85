import type { Transport, TransportRequest } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { type Cut, cutTransport } from './cut.ts';

function through(cut?: Cut) {
  const arrived: string[] = [];
  const inner: Transport = {
    async send({ path }) {
      arrived.push(path);
      return { status: 200, body: {}, warnings: [] };
    },
    watch: () => Promise.reject(new Error('not asked for')),
    close: async () => {},
  };
  const process = cutTransport(inner, cut);
  const send = (method: TransportRequest['method'], path: string, query?: Record<string, string>) =>
    process.transport.send({ method, path, ...(query ? { query } : {}) }).then(
      () => 'answered',
      (error: Error) => error.message,
    );
  return { process, arrived, send };
}

test('without a cut it counts writes, not reads and dry runs', async () => {
  const { process, send } = through();
  await send('GET', '/a');
  await send('POST', '/b');
  await send('PATCH', '/c', { dryRun: 'All' });
  await send('DELETE', '/d');
  expect([process.writes, process.isCut]).toEqual([2, false]);
});

test.each([
  ['before', ['/a', '/b']],
  ['after', ['/a', '/b', '/c']],
] as const)('a cut %s the second write: nothing is answered any more', async (when, expected) => {
  const { process, arrived, send } = through({ write: 2, when });
  expect(await send('POST', '/a')).toBe('answered');
  expect(await send('GET', '/b')).toBe('answered');
  for (const path of ['/c', '/d']) expect(await send('PUT', path)).toBe('this process was cut off');
  expect(await send('GET', '/e')).toBe('this process was cut off');
  await expect(process.transport.watch({ method: 'GET', path: '/f' })).rejects.toThrow('cut off');
  expect(arrived).toEqual(expected);
  expect(process.isCut).toBe(true);
});
