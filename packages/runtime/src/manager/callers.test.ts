import type { DynamicObject } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { createCache, withReadYourWrites } from '../cache/index.ts';
import { FakeServer } from '../client/fake-server.ts';
import { createClient, merge, type Resource } from '../client/index.ts';
import { things } from '../client/test-things.ts';
import { apiError, isForbidden, seededRandom, VirtualClock } from '../core/index.ts';
import { withSignal } from '../election/index.ts';

const key = { namespace: 'a', name: 'x' };
const thing: DynamicObject = { metadata: key };

const calls: Record<string, (resource: Resource<DynamicObject>) => Promise<unknown>> = {
  get: (resource) => resource.get(key),
  find: (resource) => resource.find(key),
  list: (resource) => resource.list(),
  create: (resource) => resource.create(thing),
  update: (resource) => resource.update(thing),
  updateStatus: (resource) => resource.updateStatus(thing),
  patch: (resource) => resource.patch(key, merge({})),
  patchStatus: (resource) => resource.patchStatus(key, merge({})),
  apply: (resource) => resource.apply(thing),
  delete: (resource) => resource.delete(key),
  deleteCollection: (resource) => resource.deleteCollection({ namespace: 'a' }),
  'get of a scale': (resource) => resource.scale.get(key),
  'patch of a scale': (resource) => resource.scale.patch(key, merge({})),
};

test.each(Object.keys(calls))('a refusal of %s says in its stack where the call was made', async (name) => {
  const server = new FakeServer();
  server.fail = () => apiError(403, 'Forbidden', 'not you');
  const parts = { clock: new VirtualClock(), random: seededRandom(1) };
  const plain = createClient({ transport: server, ...parts });
  const own = withReadYourWrites(plain, createCache({ client: plain, ...parts }));
  const guarded = withSignal(own, new AbortController().signal);
  for (const client of [plain, own, guarded]) {
    const theCaller = async () => await calls[name]?.(client.of(things));
    const error: unknown = await theCaller().catch((reason: unknown) => reason);
    expect(error).toSatisfy(isForbidden);
    const [first, ...frames] = (error as Error).stack?.split('\n') ?? [];
    expect(first).toBe('ApiError: not you');
    expect(frames.join('\n')).toContain('theCaller');
  }
});
