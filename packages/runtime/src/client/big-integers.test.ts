import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mergeDiff, mergePatched } from '../apply/merge-diff.ts';
import { cloneJson, deepEqual } from '../core/index.ts';
import { staticCredentials } from './credentials.ts';
import { explains } from './explains.ts';
import { httpTransport } from './http-transport.ts';
import { merge, parseJson, stringifyJson } from './index.ts';
import { jsonPatched } from './json-patch.ts';
import { responseError } from './response-error.ts';
import type { Transport } from './transport.ts';

/** Any JSON, with integers of the whole int64 range, held as the client holds them. */
const integer = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((big) => (Number.isSafeInteger(Number(big)) ? Number(big) : big));
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, integer, fc.string(), fc.boolean(), fc.constant(null), tie('list'), tie('fields')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  fields: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).fields as fc.Arbitrary<Record<string, unknown>>;

let transport: Transport;
let close: () => void;

/** Answers each body as it came, byte for byte. */
beforeAll(async () => {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    request.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  transport = httpTransport({ server: url, credentials: staticCredentials({}), namespace: 'default' });
  close = () => server.close();
});
afterAll(async () => {
  await transport.close();
  close();
});

test('what is sent comes back to the digit', async () => {
  const echoes = fc.asyncProperty(json, async (body) => {
    expect((await transport.send({ method: 'POST', path: '/', body })).body).toStrictEqual(body);
  });
  await fc.assert(echoes, { numRuns: 60 });
});

test('texts, clones, differences and patches keep every digit', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      expect(parseJson(stringifyJson(before))).toStrictEqual(before);
      expect(cloneJson(before)).toStrictEqual(before);
      expect(deepEqual(before, after)).toBe(stringifyJson(sorted(before)) === stringifyJson(sorted(after)));
      expect(explains(before, after, after, 'whole')).toBe(true);
      expect(jsonPatched(before, [{ op: 'add', path: '/a', value: after }])).toStrictEqual({ ...before, a: after });
      const patch = mergeDiff(before, withoutNulls(after));
      const patched = mergePatched(before, (merge(patch ?? {}).body ?? {}) as Record<string, unknown>);
      expect(deepEqual(withoutNulls(patched), withoutNulls(after))).toBe(true);
    }),
  );
});

test('an error whose body holds one is still told', () => {
  expect(responseError(502, { at: 9_007_199_254_740_993n }, undefined, 0).message).toContain('9007199254740993');
});

test('list elements whose keys are such integers are told apart', () => {
  const [a, b] = [9_007_199_254_740_992n, 9_007_199_254_740_993n];
  const list = (v: number) => [
    { port: a, protocol: 'TCP', v },
    { port: b, protocol: 'TCP', v: 0 },
  ];
  const body = [{ port: a, protocol: 'TCP', v: 2 }];
  expect(explains(list(1), list(2), body, 'elements')).toBe(true);
  expect(explains(list(1), list(2), [{ port: b, protocol: 'TCP', v: 2 }], 'elements')).toBe(false);
});

/** With keys in order, all the way down. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}

/** A merge patch cannot set a null within a map. */
function withoutNulls<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)])) as T;
}
