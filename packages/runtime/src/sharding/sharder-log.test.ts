import { expect, test } from 'vitest';
import { createClient } from '../client/index.ts';
import { apiError, seededRandom, silentLogger, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Sharder } from './index.ts';

function world() {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    lines.push(message);
    expect(fields).toMatchObject({ lease: 'system/op' });
    expect(fields).not.toHaveProperty('err');
  };
  const sharder = new Sharder('op', {
    client: createClient({ transport: api, clock }),
    clock,
    random: seededRandom(1),
    log: { ...silentLogger, warn: write },
    identity: 'a',
    handlers: { gained: () => {}, drained: async () => {} },
    shards: 2,
    namespace: 'system',
    lease: 'op',
  });
  return { clock, api, lines, sharder };
}

test.each([
  [
    apiError(404, 'NotFound', 'namespaces "system" not found', { name: 'system', kind: 'namespaces' }),
    ': there is no namespace system; create it, or name another one for the Leases',
  ],
  [
    apiError(403, 'Forbidden', 'User "op" cannot list resource "leases"'),
    ': its Role in namespace system lacks the verb "list" on leases in the API group "coordination.k8s.io" (it needs get, list, watch, create, update and delete)',
  ],
  [apiError(500, 'InternalError', 'no luck'), ''],
])('what keeps the members from being read is told with what to do, at growing intervals: %s', async (error, why) => {
  const t = world();
  t.api.intercept = () => {
    throw error;
  };
  t.sharder.start();
  await t.clock.advance(50_000);
  const line = `shards stay as they are: the members cannot be read${why}; trying again`;
  expect(t.lines).toEqual([line]);
  await t.clock.advance(1_000_000);
  expect(t.lines).toEqual([line, line, line, line, line]);
  t.api.intercept = () => {};
  await t.clock.advance(20_000);
  expect(t.sharder.held).toEqual([0, 1]);
  await t.sharder.stop();
});
