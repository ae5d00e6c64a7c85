import { expect, test } from 'vitest';
import { apiError, seededRandom, VirtualClock } from '../core/index.ts';
import { ConnectionError } from './errors.ts';
import { responseError } from './response-error.ts';
import { retrying } from './retry.ts';

const seconds = 30;

/** Fails once, then succeeds. @returns the tries it took, or the error; and the time, in milliseconds */
async function failOnce(
  error: unknown,
  idempotent: boolean,
): Promise<{ readonly tries: number; readonly after: number }> {
  const clock = new VirtualClock();
  const start = clock.monotonic();
  let tries = 0;
  const call = async () => {
    if (tries++ === 0) throw error;
  };
  const options = { clock, random: seededRandom(1), idempotent, deadline: start + seconds * 1000 };
  let after = 0;
  const ended = retrying(call, options).then(
    () => {
      after = clock.monotonic() - start;
    },
    () => {},
  );
  await clock.advance(seconds * 1000);
  await ended;
  return { tries, after };
}

const server = (code: number, retryAfterSeconds?: number) =>
  apiError(code, '', 'no', retryAfterSeconds === undefined ? undefined : { retryAfterSeconds });

test.each([
  ['429 that names a time', server(429, 3), true, true],
  ['429', server(429), true, false],
  ['503 that names a time', server(503, 3), true, true],
  ['503', server(503), true, false],
  ['502', server(502), true, false],
  ['504', server(504), true, false],
  ['504 that names a time: it may have been done', server(504, 3), true, false],
  ['500 that names a time', server(500, 3), true, false],
  ['500', server(500), false, false],
  ['409', server(409), false, false],
  ['409 that names a time', server(409, 3), false, false],
  ['a broken connection', new ConnectionError('reset'), true, false],
  ['anything else', new Error('x'), false, false],
])('%s', async (_what, error, reads, writes) => {
  expect((await failOnce(error, true)).tries).toBe(reads ? 2 : 1);
  expect((await failOnce(error, false)).tries).toBe(writes ? 2 : 1);
});

test('the time that the server names is waited out, and a little more; a header may give it as a date', async () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  for (const [header, wanted] of [
    ['7', 7000],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ] as const) {
    const { after, tries } = await failOnce(responseError(429, 'busy', header, now), false);
    expect(tries).toBe(2);
    expect(after).toBeGreaterThanOrEqual(wanted);
    expect(after).toBeLessThanOrEqual(wanted * 1.1);
  }
});

test('a time that is beyond the deadline is not waited for', async () => {
  expect((await failOnce(server(429, seconds), true)).tries).toBe(1);
});

test('a header that says no time is as none', async () => {
  expect((await failOnce(responseError(429, 'busy', 'soon', 0), true)).tries).toBe(2);
  expect((await failOnce(responseError(429, 'busy', 'soon', 0), false)).tries).toBe(1);
});
