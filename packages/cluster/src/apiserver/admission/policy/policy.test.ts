import type { Status } from '@coxswain/k8s';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../../storage/index.ts';
import { bootstrapCluster } from '../../bootstrap/index.ts';
import { builtinResources, createRegistry } from '../../builtin/index.ts';
import { createApiServer } from '../../server.ts';
import { validatingPolicies } from './index.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';

async function serve() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  bootstrapCluster({ registry, storage, clock, random }, { certificateAuthority: 'PEM' });
  const asked: object[] = [];
  const authorizer = {
    authorize(user: object, attributes: object) {
      asked.push({ user, attributes });
      return { allowed: false, reason: 'no' };
    },
    rulesFor: () => ({ rules: [], errors: [] }),
    rulesOf: () => [],
  };
  const admission = [validatingPolicies({ registry, authorizer })];
  const server = createApiServer({ storage, registry, clock, random, log: silentLogger, admission });
  const post = async (path: string, body: object) => {
    const response = await server.handle({ method: 'POST', path, body, user: { name: 'me', groups: ['g'] } });
    if (response.kind !== 'object') throw new Error('an object was asked for');
    return { code: response.code, body: response.body as Status };
  };
  const policy = async (expression: string, more: object = {}) => {
    const resourceRules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    const spec = { matchConstraints: { resourceRules }, validations: [{ expression }], ...more };
    await post(`${group}/validatingadmissionpolicies`, { metadata: { name: 'p' }, spec });
    await post(`${group}/validatingadmissionpolicybindings`, {
      metadata: { name: 'b' },
      spec: { policyName: 'p', validationActions: ['Deny'] },
    });
  };
  return { post, policy, storage, asked };
}

test('once the engine is loaded, a policy decides within the write', async () => {
  const { post, policy, storage } = await serve();
  await policy('object.metadata.name != "x"');
  expect((await post(configMaps, { metadata: { name: 'a' } })).code).toBe(201);
  const pending = post(configMaps, { metadata: { name: 'b' } });
  expect(storage.get({ resource: '/configmaps', namespace: 'default', name: 'b' })).toBeDefined();
  await pending;
  expect((await post(configMaps, { metadata: { name: 'x' } })).body).toMatchObject({ code: 422, reason: 'Invalid' });
});

test('a policy without a binding is not in force; excluded resources are not judged', async () => {
  const { post, policy } = await serve();
  await post(`${group}/validatingadmissionpolicies`, {
    metadata: { name: 'idle' },
    spec: { validations: [{ expression: 'false' }] },
  });
  const excludeResourceRules = [
    { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], resourceNames: ['free'] },
  ];
  const resourceRules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  await policy('false', { matchConstraints: { resourceRules, excludeResourceRules } });
  expect((await post(configMaps, { metadata: { name: 'free' } })).code).toBe(201);
  expect((await post(configMaps, { metadata: { name: 'other' } })).code).toBe(422);
});

test('expressions ask for the rights of the user and of service accounts', async () => {
  const { post, policy, asked } = await serve();
  const user = 'authorizer.requestResource.check("use").allowed()';
  const account = 'authorizer.serviceAccount("ns", "sa").group("apps").resource("deployments").check("get").allowed()';
  await policy(`${user} || ${account}`);
  expect((await post(configMaps, { metadata: { name: 'a' } })).code).toBe(422);
  expect(asked).toMatchObject([
    { user: { name: 'me' }, attributes: { verb: 'use', resource: 'configmaps', namespace: 'default', name: 'a' } },
    {
      user: { name: 'system:serviceaccount:ns:sa' },
      attributes: { verb: 'get', group: 'apps', resource: 'deployments' },
    },
  ]);
});
