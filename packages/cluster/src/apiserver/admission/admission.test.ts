import type { DynamicObject, Status } from '@coxswain/k8s';
import type { Method } from '@coxswain/runtime/client';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../storage/index.ts';
import { bootstrapCluster, publishServer } from '../bootstrap/index.ts';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import { createApiServer } from '../server.ts';
import { builtinAdmission } from './index.ts';

const core = '/api/v1/namespaces/default';

async function serve() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  const context = { registry, storage, clock, random };
  bootstrapCluster(context, { certificateAuthority: 'PEM' });
  const admission = builtinAdmission({ random });
  const server = createApiServer({ storage, registry, clock, random, log: silentLogger, admission });
  async function ask<T = DynamicObject>(method: Method, path: string, body?: unknown, contentType?: string) {
    const user = { name: 'admin', groups: [] };
    const options = { ...(body === undefined ? {} : { body }), ...(contentType === undefined ? {} : { contentType }) };
    const response = await server.handle({ method, path, user, ...options });
    if (response.kind === 'watch') throw new Error('a watch was not asked for');
    return { code: response.code, body: response.body as T };
  }
  return { ask, storage, context };
}

const pod = (spec: object = {}) => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const claim = (spec: object = {}) => ({
  metadata: { name: 'c' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

test('a pod gets its account, token volume, tolerations and priority', async () => {
  const { ask } = await serve();
  const { body } = await ask('POST', `${core}/pods`, pod());
  const spec = body.spec as { volumes: readonly { name: string }[]; containers: readonly object[] };
  const name = spec.volumes[0]?.name ?? '';
  expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
  expect(spec).toMatchObject({
    serviceAccountName: 'default',
    serviceAccount: 'default',
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    volumes: [
      {
        projected: {
          defaultMode: 420,
          sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }, {}, {}],
        },
      },
    ],
    containers: [
      { volumeMounts: [{ name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
    ],
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
  });
});

test('a pod may do without the token, and must name an account and a class that exist', async () => {
  const { ask } = await serve();
  const { body } = await ask('POST', `${core}/pods`, pod({ automountServiceAccountToken: false }));
  expect(body.spec).not.toHaveProperty('volumes');
  const missing = await ask<Status>('POST', `${core}/pods`, pod({ serviceAccountName: 'nope' }));
  expect(missing).toMatchObject({ code: 403 });
  expect(missing.body.message).toBe(
    'pods "p" is forbidden: error looking up service account default/nope: serviceaccount "nope" not found',
  );
  const unranked = await ask<Status>('POST', `${core}/pods`, pod({ priorityClassName: 'nope' }));
  expect(unranked.body.message).toBe('pods "p" is forbidden: no PriorityClass with name nope was found');
  const critical = { metadata: { name: 'q' }, spec: { ...pod().spec, priorityClassName: 'system-node-critical' } };
  expect((await ask('POST', `${core}/pods`, critical)).body.spec).toMatchObject({ priority: 2000001000 });
});

test('namespaces: missing, going away, protected', async () => {
  const { ask } = await serve();
  const missing = await ask<Status>('POST', '/api/v1/namespaces/nope/configmaps', { metadata: { name: 'a' } });
  expect(missing.body).toMatchObject({
    code: 404,
    message: 'namespaces "nope" not found',
    details: { kind: 'namespaces' },
  });
  await ask('POST', '/api/v1/namespaces', { metadata: { name: 'team', finalizers: ['example.com/hold'] } });
  await ask('DELETE', '/api/v1/namespaces/team');
  const late = await ask<Status>('POST', '/api/v1/namespaces/team/configmaps', { metadata: { name: 'a' } });
  expect(late.body).toMatchObject({ code: 403, details: { causes: [{ reason: 'NamespaceTerminating' }] } });
  const kept = await ask<Status>('DELETE', '/api/v1/namespaces/default');
  expect(kept.body.message).toBe('namespaces "default" is forbidden: this namespace may not be deleted');
});

test('claims get the default class and their finalizer, and grow only by the rules', async () => {
  const { ask } = await serve();
  const { body } = await ask('POST', `${core}/persistentvolumeclaims`, claim());
  expect(body.spec).toMatchObject({ storageClassName: 'standard' });
  expect(body.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
  const none = { ...claim({ storageClassName: '' }), metadata: { name: 'd' } };
  expect((await ask('POST', `${core}/persistentvolumeclaims`, none)).body.spec).toMatchObject({ storageClassName: '' });
});

test('every namespace has its default account, at once and again', async () => {
  const { ask } = await serve();
  await ask('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
  const account = '/api/v1/namespaces/team/serviceaccounts/default';
  expect((await ask('GET', account)).code).toBe(200);
  expect((await ask('GET', '/api/v1/namespaces/team/configmaps/kube-root-ca.crt')).body.data).toEqual({
    'ca.crt': 'PEM',
  });
  await ask('DELETE', account);
  expect((await ask('GET', account)).code).toBe(200);
});

test('bootstrap is done once, and follows the address of the server', async () => {
  const { ask, storage, context } = await serve();
  publishServer(context, { ip: '127.0.0.1', port: 6443 });
  const before = storage.revision;
  bootstrapCluster(context, { certificateAuthority: 'PEM' }).cancel();
  publishServer(context, { ip: '127.0.0.1', port: 6443 });
  expect(storage.revision).toBe(before);
  publishServer(context, { ip: '127.0.0.1', port: 7443 });
  expect((await ask('GET', `${core}/services/kubernetes`)).body.spec).toMatchObject({ clusterIP: '10.96.0.1' });
  expect((await ask('GET', `${core}/endpoints/kubernetes`)).body.subsets).toMatchObject([{ ports: [{ port: 7443 }] }]);
});
