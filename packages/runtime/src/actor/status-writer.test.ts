import { expect, test } from 'vitest';
import { type Client, ConnectionError, merge } from '../client/index.ts';
import { VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget } from '../manager/test-kinds.ts';
import { StatusWriter } from './status-writer.ts';

const key = { namespace: 'default', name: 'w' };
const { signal } = new AbortController();

/** A server with a widget, a way to it that may lose answers, and a writer of statuses. */
async function setUp() {
  const api = new TestApi(new VirtualClock());
  const client = api.client();
  await client.of(Widget).create(widget('w'));
  let losing = false;
  const of: Client['of'] = (kind) => {
    const inner = client.of(kind);
    const patch: typeof inner.patch = async (...call) => {
      const answer = await inner.patch(...call);
      if (losing) throw new ConnectionError('the connection was reset');
      return answer;
    };
    return { ...inner, find: (...call) => inner.find(...call), patch } as typeof inner;
  };
  const writer = new StatusWriter(Widget, { subresource: true, fieldManager: 'test' });
  const get = () => client.of(Widget).get(key);
  return {
    client,
    get,
    lose: (now: boolean) => {
      losing = now;
    },
    unsure: () => writer.isUnsure(key),
    write: (base: Widget, made: number) =>
      writer.write({ client: { ...client, of } as Client, base, current: base, fields: { made }, signal }),
  };
}

test('after a write without an answer it is not sure until a pass has begun with what the server has', async () => {
  const t = await setUp();
  const first = await t.get();
  await t.write(first, 1);
  expect(t.unsure()).toBe(false);
  const known = await t.get();
  t.lose(true);
  await expect(t.write(known, 2)).rejects.toThrow('reset');
  t.lose(false);
  expect(t.unsure()).toBe(true);
  // The next pass has come to what its old copy says: nothing is written, though the server says otherwise.
  await t.write(known, 1);
  expect((await t.get()).status?.made).toBe(2);
  expect(t.unsure()).toBe(true);
  await t.write(await t.get(), 1);
  expect((await t.get()).status?.made).toBe(1);
  expect(t.unsure()).toBe(false);
});

test('nor is it where somebody else wrote meanwhile; it is when the next pass knows of that', async () => {
  const t = await setUp();
  const before = await t.get();
  await t.client.of(Widget).patchStatus(key, merge({ status: { made: 5 } }));
  await t.write(before, 1);
  expect(t.unsure()).toBe(true);
  await t.write(await t.get(), 1);
  expect(t.unsure()).toBe(false);
});
