import type { DynamicObject, Status } from '@coxswain/k8s';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../storage/index.ts';
import type { Attributes } from '../authorization/index.ts';
import { bootstrapCluster } from '../bootstrap/index.ts';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import { createApiServer } from '../server.ts';
import type { UserInfo } from '../types.ts';
import { builtinAdmission, type OptionalPlugin } from './index.ts';

const core = '/api/v1/namespaces/default';
const node: UserInfo = { name: 'system:node:n', groups: ['system:nodes'] };
const somebody: UserInfo = { name: 'somebody', groups: [] };

/** @param refused what nobody may do, as `verb resource` */
async function serve(enabled: readonly OptionalPlugin[], refused: readonly string[] = []) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  bootstrapCluster({ registry, storage, clock, random }, { certificateAuthority: 'PEM' });
  const authorizer = {
    authorize(_user: UserInfo, asked: Attributes) {
      const what = asked.kind === 'resource' ? `${asked.verb} ${asked.resource}` : asked.path;
      return refused.includes(what) ? { allowed: false, reason: 'no' } : { allowed: true, reason: '' };
    },
    rulesFor: () => ({ rules: [], errors: [] }),
    rulesOf: () => [],
  };
  const admission = builtinAdmission({ random, enabled, registry, authorizer });
  const server = createApiServer({ storage, registry, clock, random, log: silentLogger, admission });
  return async (user: UserInfo, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
    const contentType = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    const response = await server.handle({ method, path, user, ...(body ? { body } : {}), ...contentType });
    if (response.kind !== 'object') throw new Error('an object was asked for');
    return response.body as DynamicObject & Status;
  };
}

const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Never' }], ...spec },
});

test('they are off unless they are asked for', async () => {
  const ask = await serve([]);
  const made = await ask(somebody, 'POST', `${core}/pods`, pod('p'));
  expect(made.spec).toMatchObject({ containers: [{ imagePullPolicy: 'Never' }] });
  expect(await ask(node, 'POST', '/api/v1/nodes', { metadata: { name: 'other' } })).toMatchObject({ kind: 'Node' });
});

test('images are always pulled', async () => {
  const ask = await serve(['AlwaysPullImages']);
  const volumes = [{ name: 'v', image: { reference: 'x', pullPolicy: 'Never' } }];
  const made = await ask(somebody, 'POST', `${core}/pods`, pod('p', { volumes }));
  expect(made.spec).toMatchObject({ containers: [{ imagePullPolicy: 'Always' }] });
  expect((made.spec as { volumes: object[] }).volumes[0]).toMatchObject({ image: { pullPolicy: 'Always' } });
});

test('nodes change what is their own', async () => {
  const ask = await serve(['NodeRestriction']);
  const nodes = '/api/v1/nodes';
  expect(await ask(node, 'POST', nodes, { metadata: { name: 'other' } })).toMatchObject({
    message: 'nodes "other" is forbidden: node "n" is not allowed to modify node "other"',
  });
  const labels = { 'node-restriction.kubernetes.io/x': 'y', 'kubernetes.io/os': 'linux', own: 'x' };
  expect(await ask(node, 'POST', nodes, { metadata: { name: 'n', labels } })).toMatchObject({
    message: expect.stringContaining('set the following labels: node-restriction.kubernetes.io/x'),
  });
  expect(await ask(node, 'POST', nodes, { metadata: { name: 'n' } })).toMatchObject({ kind: 'Node' });
  expect(await ask(node, 'PATCH', `${nodes}/n`, { spec: { taints: null } })).toMatchObject({
    message: expect.stringContaining('is not allowed to modify taints'),
  });
  expect(await ask(node, 'POST', `${core}/pods`, pod('p'))).toMatchObject({
    message: expect.stringContaining('node "n" can only create mirror pods'),
  });
  await ask(somebody, 'POST', `${core}/pods`, pod('theirs', { nodeName: 'm' }));
  expect(await ask(node, 'DELETE', `${core}/pods/theirs`)).toMatchObject({
    message: expect.stringContaining('can only delete pods with spec.nodeName set to itself'),
  });
});

test('an owner holds up its deletion only for those who may finalize it', async () => {
  const ask = await serve(
    ['OwnerReferencesPermissionEnforcement'],
    ['update configmaps', 'update *', 'delete secrets'],
  );
  const owner = await ask(somebody, 'POST', `${core}/configmaps`, { metadata: { name: 'o' } });
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: owner.metadata.uid };
  const owned = (name: string, more: object = {}) => ({
    metadata: { name, ownerReferences: [{ ...reference, ...more }] },
  });
  expect(await ask(somebody, 'POST', `${core}/secrets`, owned('a'))).toMatchObject({ kind: 'Secret' });
  expect(await ask(somebody, 'POST', `${core}/secrets`, owned('b', { blockOwnerDeletion: true }))).toMatchObject({
    message: expect.stringContaining("refers to a resource you can't set finalizers on: no, <nil>"),
  });
  expect(await ask(somebody, 'PATCH', `${core}/secrets/a`, { metadata: { ownerReferences: null } })).toMatchObject({
    message: expect.stringContaining("cannot set an ownerRef on a resource you can't delete: no, <nil>"),
  });
});
