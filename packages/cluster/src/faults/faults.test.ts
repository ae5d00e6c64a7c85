import { ConnectionError } from '@coxswain/runtime/client';
import { ApiError, seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { configMap, configMaps, createTestApi, type TestApi } from '../apiserver/rest/test-api.ts';
import type { ApiRequest, ApiResponse, OutgoingEvent } from '../apiserver/types.ts';
import { createFaults, type FaultInjector, type FaultRule, parseFaultRule } from './index.ts';

interface World {
  readonly api: TestApi;
  readonly faults: FaultInjector;
  ask(method: ApiRequest['method'], path: string, more?: Partial<ApiRequest>): Promise<ApiResponse>;
}

async function world(seed = 1): Promise<World> {
  const api = await createTestApi();
  const faults = createFaults({ clock: api.clock, random: seededRandom(seed) });
  const handle = faults.around((request) => api.server.handle(request));
  const user = { name: 'alice', groups: [] };
  return { api, faults, ask: (method, path, more) => handle({ user, userAgent: 'kubectl/v1', ...more, method, path }) };
}

const codeOf = (answer: ApiResponse) => (answer.kind === 'watch' ? 200 : answer.code);
const create = ({ ask }: World, name: string) => ask('POST', configMaps, { body: configMap(name) });
const read = async ({ ask }: World) => codeOf(await ask('GET', configMaps));

/** Opens a watch of the config maps; `told` fills up. */
async function open({ ask }: World): Promise<{ readonly told: string[]; readonly cancel: () => void }> {
  const answer = await ask('GET', configMaps, { query: { watch: 'true', resourceVersion: '1' } });
  if (answer.kind !== 'watch') throw new Error('no watch');
  const told: string[] = [];
  const line = ({ type, object }: OutgoingEvent) =>
    `${type} ${(object as { metadata: { name?: string } }).metadata.name}`;
  answer.stream.start(
    (events) => told.push(...events.map(line)),
    () => told.push('end'),
  );
  return { told, cancel: () => answer.stream.cancel() };
}

test.each([
  [{ verb: 'create' }, true],
  [{ verb: 'get' }, false],
  [{ verb: ['get', 'create'], resource: 'configmaps', group: '', namespace: 'default', name: 'web-0' }, true],
  [{ name: 'web-*' }, true],
  [{ name: 'w*b*0' }, true],
  [{ name: 'web-0*0' }, false],
  [{ name: '*' }, true],
  [{ subresource: '' }, true],
  [{ subresource: 'status' }, false],
  [{ group: 'apps' }, false],
  [{ user: 'alice', userAgent: 'kubectl/*' }, true],
  [{ user: 'system:*' }, false],
  [{}, true],
])('a create of web-0 and the match %j: %s', async (match, hit) => {
  const a = await world();
  const rule = a.faults.add({ match, action: { status: 500 } });
  expect(codeOf(await create(a, 'web-0'))).toBe(hit ? 500 : 201);
  expect(rule.counts).toEqual({ matched: hit ? 1 : 0, fired: hit ? 1 : 0 });
});

test('only rules that name nothing of a resource touch discovery; health, metrics and the rules themselves are spared', async () => {
  const { faults, ask } = await world();
  const rule = faults.add({ match: { resource: '*' }, action: { status: 503 } });
  expect(codeOf(await ask('GET', '/version'))).toBe(404);
  rule.remove();
  faults.add({ action: { status: 503 } });
  expect(codeOf(await ask('GET', '/version'))).toBe(503);
  for (const path of ['/healthz', '/readyz/ping', '/livez', '/metrics', '/_coxswain/faults'])
    expect(codeOf(await ask('GET', path)), path).toBe(404);
});

test.each([
  [{ nth: 2 }, [200, 500, 200, 200, 200, 200]],
  [{ every: 2 }, [200, 500, 200, 500, 200, 500]],
  [{ times: 2 }, [500, 500, 200, 200, 200, 200]],
  [{ every: 2, times: 1 }, [200, 500, 200, 200, 200, 200]],
  [{ after: 2500 }, [200, 200, 200, 500, 500, 500]],
  [{ until: 2500 }, [500, 500, 500, 200, 200, 200]],
  [{ probability: 0 }, [200, 200, 200, 200, 200, 200]],
  [{ probability: 1 }, [500, 500, 500, 500, 500, 500]],
])('when %j', async (when, expected) => {
  const a = await world();
  a.faults.add({ when, action: { status: 500 } });
  const codes: number[] = [];
  for (let i = 0; i < 6; i++) {
    codes.push(await read(a));
    await a.api.clock.advance(1000);
  }
  expect(codes).toEqual(expected);
});

test('the same seed gives the same faults', async () => {
  const run = async (seed: number) => {
    const a = await world(seed);
    a.faults.add({ when: { probability: 0.5 }, action: { status: 500 } });
    const codes: number[] = [];
    for (let i = 0; i < 40; i++) codes.push(await read(a));
    return codes.join();
  };
  expect(await run(1)).toBe(await run(1));
  expect(await run(1)).not.toBe(await run(2));
});

test.each([
  [409, 'Conflict', undefined],
  [410, 'Expired', undefined],
  [429, 'TooManyRequests', 1],
  [500, 'InternalError', undefined],
  [503, 'ServiceUnavailable', undefined],
  [504, 'Timeout', undefined],
] as const)('%i is refused as a server does it, and nothing is done', async (status, reason, seconds) => {
  const a = await world();
  a.faults.add({ action: { status } });
  const answer = await create(a, 'a');
  expect(answer).toMatchObject({ kind: 'object', code: status, body: { kind: 'Status', code: status, reason } });
  const { details } = (answer as { body: { details?: { retryAfterSeconds?: number } } }).body;
  expect(details?.retryAfterSeconds).toBe(seconds);
  a.faults.clear();
  expect(codeOf(await a.ask('GET', `${configMaps}/a`))).toBe(404);
});

test('reset does nothing, a lost reply does it; both break the connection', async () => {
  const a = await world();
  a.faults.add({ when: { nth: 1 }, action: { reset: true } });
  a.faults.add({ action: { loseReply: true } });
  await expect(create(a, 'a')).rejects.toThrow(ConnectionError);
  await expect(create(a, 'b')).rejects.toThrow(ConnectionError);
  a.faults.clear();
  expect(codeOf(await a.ask('GET', `${configMaps}/a`))).toBe(404);
  expect(codeOf(await a.ask('GET', `${configMaps}/b`))).toBe(200);
});

test('latency adds up, and the next rule has its say', async () => {
  const a = await world();
  a.faults.add({ action: { latency: 300 } });
  a.faults.add({ action: { latency: 400 } });
  a.faults.add({ action: { status: 503, retryAfter: 7 } });
  const unseen = a.faults.add({ action: { status: 500 } });
  let code = 0;
  void read(a).then((got) => {
    code = got;
  });
  await a.api.clock.advance(699);
  expect(code).toBe(0);
  await a.api.clock.advance(1);
  expect(code).toBe(503);
  expect(unseen.counts.matched).toBe(0);
});

test('a request that is given up does not wait for its latency', async () => {
  const a = await world();
  a.faults.add({ action: { latency: 1e9 } });
  const gone = new AbortController();
  const answer = a.ask('GET', configMaps, { signal: gone.signal });
  gone.abort(new Error('gone'));
  await expect(answer).rejects.toThrow('gone');
});

test('a watch that is dropped ends with its first events, or after a time', async () => {
  const a = await world();
  a.faults.add({ when: { nth: 1 }, action: { watch: 'drop' } });
  a.faults.add({ when: { nth: 1 }, action: { watch: 'drop', ms: 5000 } });
  const first = await open(a);
  await create(a, 'a');
  expect(first.told).toEqual(['end']);
  a.faults.clear();
  a.faults.add({ action: { watch: 'drop', ms: 5000 } });
  const second = await open(a);
  await a.api.clock.advance(4999);
  expect(second.told).toEqual(['ADDED a']);
  await a.api.clock.advance(1);
  await create(a, 'b');
  expect(second.told).toEqual(['ADDED a', 'end']);
});

test('a delayed watch tells everything later, the end too', async () => {
  const a = await world();
  a.faults.add({ action: { watch: 'delay', ms: 2000 } });
  const { told } = await open(a);
  await create(a, 'a');
  await a.api.clock.advance(1000);
  await create(a, 'b');
  a.api.server.close();
  await a.api.clock.advance(1000);
  expect(told).toEqual(['ADDED a']);
  await a.api.clock.advance(1000);
  expect(told).toEqual(['ADDED a', 'ADDED b', 'end']);
});

test('a late watch keeps the order; cancelled, it says no more', async () => {
  const a = await world();
  a.faults.add({ action: { watch: 'reorderless-late', ms: 3000 } });
  const { told } = await open(a);
  const cancelled = await open(a);
  for (let i = 0; i < 20; i++) await create(a, `a${i}`);
  cancelled.cancel();
  expect(told).toEqual([]);
  await a.api.clock.advance(3000);
  expect(told).toEqual(Array.from({ length: 20 }, (_, i) => `ADDED a${i}`));
  expect(cancelled.told).toEqual(['end']);
  expect(a.api.clock.untilNext ?? Number.POSITIVE_INFINITY).toBeGreaterThan(10_000);
});

test('a doubled watch tells each change twice', async () => {
  const a = await world();
  a.faults.add({ action: { watch: 'duplicate' } });
  const { told } = await open(a);
  await create(a, 'a');
  await a.ask('DELETE', `${configMaps}/a`);
  expect(told).toEqual(['ADDED a', 'ADDED a', 'DELETED a', 'DELETED a']);
});

test('rules are taken away one by one or all together', async () => {
  const a = await world();
  const one = a.faults.add({ action: { status: 500 } });
  a.faults.add({ action: { status: 503 } });
  one.remove();
  one.remove();
  expect(await read(a)).toBe(503);
  expect(a.faults.list().map(({ id }) => id)).toEqual(['2']);
  expect(a.faults.clear()).toBe(1);
  expect(await read(a)).toBe(200);
});

test.each([
  [null, 'it must be an object'],
  [{}, 'action must have exactly one of latency, status, reset, loseReply, watch'],
  [{ action: { status: 500, reset: true } }, 'action must have exactly one of'],
  [{ action: { status: 418 } }, 'action.status must be 409, 410, 429, 500, 503, 504, not 418'],
  [{ action: { latency: -1 } }, 'action.latency must be milliseconds, 0 or more, not -1'],
  [{ action: { reset: false } }, 'action.reset must be true'],
  [{ action: { watch: 'lose' } }, 'action.watch must be "drop", "delay"'],
  [{ action: { status: 500, ms: 1 } }, 'action.ms is unknown'],
  [{ action: { reset: true }, when: { nth: 0 } }, 'when.nth must be a whole number from 1, not 0'],
  [{ action: { reset: true }, when: { probability: 2 } }, 'when.probability must be a number from 0 to 1, not 2'],
  [{ action: { reset: true }, match: { resource: 3 } }, 'match.resource must be a text or a list of texts, not 3'],
  [{ action: { reset: true }, match: { verb: ['get', 'nope'] } }, 'match.verb must be of get, list, watch'],
  [{ action: { reset: true }, match: { toString: 'x' } }, 'match.toString is unknown; known are verb'],
  [{ action: { reset: true }, matches: {} }, 'matches is unknown'],
])('%j is no rule', (value, message) => {
  expect(() => parseFaultRule(value)).toThrow(ApiError);
  expect(() => parseFaultRule(value)).toThrow(message);
});

test('a rule stays as it was added', async () => {
  const a = await world();
  const verbs = ['create'];
  const rule: FaultRule = { match: { verb: verbs }, action: { status: 500 } };
  const handle = a.faults.add(rule);
  verbs.push('list');
  expect(handle.rule).toEqual({ match: { verb: ['create'] }, action: { status: 500 } });
  expect(await read(a)).toBe(200);
});
