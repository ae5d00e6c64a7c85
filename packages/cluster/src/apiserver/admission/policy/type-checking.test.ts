import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../../storage/index.ts';
import { bootstrapCluster } from '../../bootstrap/index.ts';
import { builtinResources, createRegistry } from '../../builtin/index.ts';
import { createApiServer } from '../../server.ts';
import { typeCases, typePolicy } from '../test/type-cases.ts';
import { installPolicyStatus } from './index.ts';

const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/type-checking.json'), 'utf8'));

async function serve() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  const log = silentLogger;
  bootstrapCluster({ registry, storage, clock, random }, { certificateAuthority: 'PEM' });
  const server = createApiServer({ storage, registry, clock, random, log, admission: [] });
  const status = installPolicyStatus({ storage, registry, clock, log });
  const ask = async (method: 'GET' | 'POST' | 'PUT', to: string, body?: object) => {
    const request = { method, path: to, user: { name: 'me', groups: [] }, ...(body ? { body } : {}) };
    const response = await server.handle(request);
    if (response.kind !== 'object') throw new Error('an object was asked for');
    return response.body as Record<string, unknown> & {
      readonly metadata: { readonly managedFields?: readonly object[] };
    };
  };
  // Loading is not a matter of the clock.
  await Promise.all([import('./type-checking.ts'), import('./whole-schema.ts')]);
  return { clock, ask, status };
}

test('types are checked as the real controller does', async () => {
  const { clock, ask } = await serve();
  for (const one of typeCases) {
    await ask('POST', path, typePolicy(one));
    await clock.settle();
    const { status, metadata } = await ask('GET', `${path}/${one.name}`);
    const { time: _, ...entry } = { time: '', ...metadata.managedFields?.find((claim) => 'subresource' in claim) };
    expect({ status, entry }, one.name).toEqual(recorded[one.name]);
  }
});

test('a policy is checked again when it changes, and left alone when it does not', async () => {
  const { clock, ask, status } = await serve();
  const [fine] = typeCases;
  if (!fine) throw new Error('there are no cases');
  const policy = typePolicy({ ...fine, name: 'p', expressions: ['true'] });
  await ask('POST', path, policy);
  await clock.settle();
  const first = await ask('GET', `${path}/p`);
  expect(first.status).toMatchObject({ observedGeneration: 1 });
  const spec = { ...(first.spec as object), validations: [{ expression: '1 == 1' }] };
  await ask('PUT', `${path}/p`, { ...first, spec });
  await clock.settle();
  const second = await ask('GET', `${path}/p`);
  expect(second.status).toMatchObject({ observedGeneration: 2 });
  status.cancel();
  await ask('PUT', `${path}/p`, { ...second, spec: { ...spec, validations: [{ expression: '2 == 2' }] } });
  await clock.settle();
  expect((await ask('GET', `${path}/p`)).status).toMatchObject({ observedGeneration: 2 });
});
