import type { DynamicObject, Kind } from '@coxswain/k8s';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeServer } from '../client/fake-server.ts';
import { ConnectionError, createClient, merge, type Resource } from '../client/index.ts';
import { apiError, expired, isNotFound, seededRandom, VirtualClock } from '../core/index.ts';
import { createCache, withReadYourWrites } from './index.ts';

const things: Kind<DynamicObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };
const seed = Number(process.env.COX_SEED ?? 20_260_101);
const runs = Number(process.env.COX_RUNS ?? 150);

type Fault =
  | 'reset'
  | 'close'
  | 'compact'
  | 'gone event'
  | 'stall'
  | 'flow'
  | 'down'
  | 'busy'
  | 'broken'
  | 'up'
  | 'bookmark';
type Op =
  | { readonly do: 'write'; readonly ours: boolean; readonly name: string; readonly what: 'set' | 'delete' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'fault'; readonly fault: Fault };

const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      ours: fc.boolean(),
      name: fc.constantFrom('a', 'b', 'c'),
      what: fc.constantFrom('set' as const, 'set' as const, 'delete' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 10, 1_000, 40_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      fault: fc.constantFrom<Fault>(
        'reset',
        'close',
        'compact',
        'gone event',
        'stall',
        'flow',
        'down',
        'busy',
        'broken',
        'up',
        'bookmark',
      ),
    }),
  },
);

function inflict(server: FakeServer, fault: Fault): void {
  const failWatches = (error: () => unknown) => {
    server.fail = (request, watch) => (watch || request.query?.limit ? error() : undefined);
  };
  if (fault === 'reset') server.breakWatches(new ConnectionError('reset'));
  else if (fault === 'close') server.breakWatches();
  else if (fault === 'compact') server.compact();
  else if (fault === 'gone event') server.inject({ type: 'ERROR', object: expired('too old').status });
  else if (fault === 'stall') server.autoDeliver = false;
  else if (fault === 'flow') {
    server.autoDeliver = true;
    server.deliver();
  } else if (fault === 'down') failWatches(() => new ConnectionError('refused'));
  else if (fault === 'busy') failWatches(() => apiError(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 2 }));
  else if (fault === 'broken') failWatches(() => apiError(500, 'InternalError', 'broken'));
  else if (fault === 'up') server.fail = () => undefined;
  else server.bookmark();
}

test('after any faults the store equals the server, and handlers know what it holds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(op, { minLength: 5, maxLength: 40 }),
      fc.boolean(),
      fc.nat(),
      async (ops, refuse, random) => {
        const clock = new VirtualClock();
        const server = new FakeServer();
        server.refuseStreaming = refuse;
        const client = createClient({ transport: server, clock, random: seededRandom(random) });
        const cache = createCache({ client, clock, random: seededRandom(random) });
        const clients = [client, withReadYourWrites(client, cache, {})] as const;
        const known = new Map<string, string | undefined>();
        const informer = cache.informer(things);
        const { store } = informer;
        informer.onEvent(({ type, object }) => {
          if (type === 'deleted') known.delete(object.metadata.name);
          else known.set(object.metadata.name, object.metadata.resourceVersion);
        });
        let n = 0;
        for (const step of ops) {
          if (step.do === 'wait') await clock.advance(step.ms);
          else if (step.do === 'fault') inflict(server, step.fault);
          else await write(clients[step.ours ? 1 : 0].of(things), step.name, step.what, ++n);
        }
        inflict(server, 'up');
        inflict(server, 'flow');
        const expected = () =>
          [...server.all()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
        const held = () =>
          [...store.list()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
        await clock.runUntil(() => held().join() === expected().join(), {
          limit: 600_000,
          what: 'the store equal to the server',
        });
        expect([...known].map(([name, version]) => `${name}@${version}`).sort()).toEqual(expected());
        await cache.stop();
        expect(clock.untilNext).toBeUndefined();
        expect(server.openWatches).toBe(0);
      },
    ),
    { seed, numRuns: runs },
  );
});

async function write(
  resource: Resource<DynamicObject>,
  name: string,
  what: 'set' | 'delete',
  n: number,
): Promise<void> {
  const key = { namespace: 'x', name };
  try {
    if (what === 'delete') await resource.delete(key);
    else await resource.patch(key, merge({ n }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (what === 'set') await resource.create({ metadata: key });
  }
}
