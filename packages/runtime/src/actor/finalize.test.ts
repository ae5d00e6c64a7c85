import { describe, expect, test } from 'vitest';
import { createClient, merge, type Transport } from '../client/index.ts';
import { notFound, seededRandom, VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, partPath, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import type { Actor } from './types.ts';

const key = { namespace: 'default', name: 'w' };

/** A server with a widget, and a manager whose way to it is another one where `through` says so. */
async function started(through: (api: TestApi) => Partial<Transport>, finalize: Required<Actor<Widget>>['finalize']) {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const straight: Transport = {
    send: (request) => api.send(request),
    watch: (request) => api.watch(request),
    close: () => api.close(),
  };
  const transport = { ...straight, ...through(api) };
  const client = createClient({ transport, clock, random: seededRandom(1), fieldManager: 'test' });
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), shutdownTimeout: 0 });
  const observe = () => Promise.resolve(undefined);
  manager.actor(Widget, { observe, finalize }, { finalizer: 'test.dev/widget' }).owns(Part).run();
  await manager.start();
  await api.client().of(Widget).create(widget('w'));
  await clock.settle();
  return { api, clock, client: api.client(), manager };
}

test('one that the server does not know for a moment, as when its CRD is made anew, is finalized afterwards', async () => {
  let isThere = true;
  const forgetful = (api: TestApi): Partial<Transport> => ({
    send: (request) =>
      isThere || request.method !== 'GET' ? api.send(request) : Promise.reject(notFound(Widget, key.name)),
  });
  const { api, clock, client, manager } = await started(forgetful, () => Promise.resolve(true));
  isThere = false;
  await client.of(Widget).delete(key);
  await clock.settle();
  isThere = true;
  await clock.advance(10_000);
  expect(api.at(`${widgetPath}/w`)).toBeUndefined();
  await manager.stop();
});

test('one that is gone, which is not known here, is not finalized: all that has its name may be the next one’s', async () => {
  let hears = true;
  const deaf = (api: TestApi): Partial<Transport> => ({
    async watch(request) {
      const stream = await api.watch(request);
      return (async function* () {
        for await (const events of stream) if (hears) yield events;
      })();
    },
  });
  let finalized = 0;
  const { clock, client, manager } = await started(deaf, () => Promise.resolve(++finalized < 0));
  await client.of(Widget).delete(key);
  await clock.advance(10_000);
  expect(finalized).toBeGreaterThan(1);
  hears = false;
  // Its status may have been written, which tells the operator what there is.
  await clock.advance(10_000);
  const before = finalized;
  await client.of(Widget).patch(key, merge({ metadata: { finalizers: null } }));
  await client.of(Widget).create(widget('w'));
  await clock.advance(60_000);
  expect(finalized).toBe(before);
  await manager.stop();
});

describe('what has the name of a child', () => {
  const child = { namespace: 'default', name: 'w-part' };
  const controlled = (uid: string) => ({
    metadata: {
      ...child,
      ownerReferences: [{ apiVersion: 'test.dev/v1', kind: 'Widget', name: 'w', uid, controller: true }],
    },
  });

  /** Finalizes a widget whose child is seen to have the owner that `owner` says, and becomes that of `heir` just before it is deleted. */
  async function finalized(
    owner: (uid: string) => string,
    heir?: string,
  ): Promise<{ there: boolean; answers: boolean[] }> {
    const answers: boolean[] = [];
    const taken = (api: TestApi): Partial<Transport> => ({
      async send(request) {
        if (heir && answers.length === 0 && request.method === 'DELETE' && request.path.startsWith(partPath))
          await api
            .client()
            .of(Part)
            .patch(child, merge({ metadata: controlled(heir).metadata }));
        return api.send(request);
      },
    });
    const { api, clock, client, manager } = await started(taken, async ({ ensureGone }) => {
      answers.push(await ensureGone(Part, child));
      return answers.at(-1) === true;
    });
    const { uid = '' } = (await client.of(Widget).get(key)).metadata;
    await client.of(Part).create(controlled(owner(uid)));
    await clock.settle();
    await client.of(Widget).delete(key);
    await clock.advance(10_000);
    await manager.stop();
    return { there: api.at(`${partPath}/w-part`) !== undefined, answers };
  }

  test('goes when it is the object’s', async () => {
    expect(await finalized((uid) => uid)).toEqual({ there: false, answers: [true] });
  });

  test('stays when another object controls it', async () => {
    expect(await finalized(() => 'another')).toEqual({ there: true, answers: [true] });
  });

  test('stays when another object took it since it was seen', async () => {
    expect(await finalized((uid) => uid, 'another')).toEqual({ there: true, answers: [true] });
  });
});
