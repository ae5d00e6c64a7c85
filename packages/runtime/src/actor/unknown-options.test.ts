import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, Widget, widget } from '../manager/test-kinds.ts';
import { type ActorContext, child, desired, immutableConfig } from './index.ts';
import { part } from './test-desired.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

/** As JavaScript sees it: anything may be given. */
const untyped = <A>(call: (...args: never[]) => A) => call as unknown as (...args: unknown[]) => A;

const idle = { observe: async () => undefined, finalize: async () => true };
function define(options: object, actor: object = idle) {
  const clock = new VirtualClock();
  const client = new TestApi(clock).client();
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1) });
  managers.push(manager);
  return untyped((...args: Parameters<typeof manager.actor<Widget>>) => manager.actor(...args))(Widget, actor, {
    finalizer: 'test.dev/widget',
    ...options,
  });
}

describe('options that nobody reads', () => {
  it.each([
    ['an actor', () => define({ retryAter: 1 }), 'unknown option `retryAter`; did you mean `retryAfter`?'],
    [
      'desired',
      () => untyped(desired)({ owns: [], children: () => [], dependecies: () => [] }),
      'desired: unknown option `dependecies`; did you mean `dependencies`?',
    ],
    [
      'child',
      () => untyped(child)(Part, part('p'), { reday: () => true }),
      'child(ConfigMap p): unknown option `reday`; did you mean `ready`?',
    ],
  ])('are refused where they are given: %s', (_, give, message) => {
    expect(give).toThrow(message);
  });

  it('are refused by immutableConfig before anything is written', async () => {
    const nothing = () => {
      throw new Error('written');
    };
    const context = { object: widget('w'), apply: nothing, owned: () => [], client: {} };
    const options = { kind: Part, name: 'c', data: {}, histroy: 1 };
    await expect(untyped(immutableConfig)(context, options)).rejects.toThrow(
      'immutableConfig(c): unknown option `histroy`; did you mean `history`?',
    );
  });

  it('are refused by the functions of a context', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const manager = createManager({ client: api.client(), name: 'test', clock, random: seededRandom(1) });
    managers.push(manager);
    const told: string[] = [];
    const note = (error: unknown) => void told.push(String(error));
    const observe = async (context: ActorContext<Widget>) => {
      if (told.length > 0) return undefined;
      try {
        untyped(context.expect)('it', () => true, { timeuot: 1 });
      } catch (error) {
        note(error);
      }
      await untyped(context.apply)(Part, part('p'), { own: false }).catch(note);
      return undefined;
    };
    manager.actor(Widget, { ...idle, owns: [Part], observe }, { finalizer: 'test.dev/widget' }).run();
    await manager.start();
    await api.client().of(Widget).create(widget('w'));
    await clock.settle();
    expect(told).toEqual([
      "TypeError: expect('it'): unknown option `timeuot`; did you mean `timeout`?",
      'TypeError: apply(ConfigMap): unknown option `own`; did you mean `owned`?',
    ]);
  });
});

describe('what is required, and of its type', () => {
  it.each([
    ['an actor without finalize', () => define({}, { observe: async () => undefined }), 'has no function `finalize`'],
    ['no actor', () => define({}, null as never), 'has no function `observe`'],
    ['children that are missing', () => untyped(desired)({ owns: [] }), '"children" is missing'],
    ['owns that is missing', () => untyped(desired)({ children: () => [] }), '"owns" is the list of kinds'],
    ['no options', () => untyped(desired)(), '"owns" is the list of kinds'],
    ['one id as after', () => untyped(child)(Part, part('p'), { after: 'a' }), '`after` is a list of ids'],
    ['a policy', () => untyped(child)(Part, part('p'), { onImmutable: 'delete' }), 'is one of fail, recreate, orphan'],
  ])('is asked for: %s', (_, give, message) => {
    expect(give).toThrow(message);
  });
});
