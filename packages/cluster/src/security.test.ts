import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterRole, ClusterRoleBinding, ConfigMap, Pod, Role, RoleBinding, ServiceAccount } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { seededRandom, VirtualClock } from '@coxswain/runtime/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCluster } from './start-cluster.ts';
import type { Cluster } from './types.ts';

const group = 'rbac.authorization.k8s.io';
const at = 'default';
const tokenPath = `/api/v1/namespaces/${at}/serviceaccounts/robot/token`;

let clock: VirtualClock;
let cluster: Cluster;
let admin: Client;
let ann: Client;

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startCluster({ clock, random: seededRandom(1), nodes: 0 });
  admin = cluster.client;
  ann = cluster.clientAs({ name: 'ann' });
});
afterEach(() => cluster.stop());

const bind = (role: string) =>
  admin.of(RoleBinding).create({
    metadata: { name: role, namespace: at },
    roleRef: { apiGroup: group, kind: 'Role', name: role },
    subjects: [{ kind: 'User', apiGroup: group, name: 'ann' }],
  });
const reader = {
  metadata: { name: 'reader', namespace: at },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
};

describe('RBAC', () => {
  it('takes bindings and roles into account as soon as they are there, and no longer', async () => {
    const list = () => ann.of(ConfigMap).list({ namespace: at });
    await expect(list()).rejects.toMatchObject({ code: 403 });
    const binding = await bind('reader');
    await expect(list()).rejects.toThrow('rbac: RBAC: role.rbac.authorization.k8s.io "reader" not found');
    await admin.of(Role).create(reader);
    await expect(list()).resolves.toBeDefined();
    await admin.of(RoleBinding).patch({ namespace: at, name: 'reader' }, { type: 'merge', body: { subjects: [] } });
    await expect(list()).rejects.toMatchObject({ code: 403 });
    await admin.of(RoleBinding).delete({ namespace: at, name: binding.metadata.name });
    await bind('reader');
    await expect(list()).resolves.toBeDefined();
    await admin.of(Role).delete({ namespace: at, name: 'reader' });
    await expect(list()).rejects.toMatchObject({ code: 403 });
  });

  it('lets everybody do everything when told so', async () => {
    await using open = await startCluster({ clock, random: seededRandom(1), authorization: 'AlwaysAllow', nodes: 0 });
    await expect(open.clientAs({ name: 'ann' }).of(ConfigMap).list({ namespace: at })).resolves.toBeDefined();
    expect((await open.client.of(ClusterRole).list({})).items).toEqual([]);
  });

  it('gathers the rules of roles by their labels', async () => {
    const rulesOf = async (name: string) => (await admin.of(ClusterRole).get({ name })).rules ?? [];
    const widgets = { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] };
    await admin.of(ClusterRole).create({
      metadata: { name: 'widgets', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [widgets],
    });
    for (const name of ['view', 'edit', 'admin']) expect(await rulesOf(name), name).toContainEqual(widgets);
    await admin.of(ClusterRole).delete({ name: 'widgets' });
    for (const name of ['view', 'edit', 'admin']) expect(await rulesOf(name), name).not.toContainEqual(widgets);
    expect((await rulesOf('admin')).length).toBeGreaterThan(20);
  });
});

describe('the roles of every cluster', () => {
  it('are completed at the next start, but for what is to be left alone', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'coxswain-roles-'));
    await using stack = new AsyncDisposableStack();
    stack.defer(() => rm(dataDir, { recursive: true, force: true }));
    const start = () => startCluster({ dataDir, controlPlane: false });
    {
      await using first = await start();
      const roles = first.client.of(ClusterRole);
      await roles.patch({ name: 'system:discovery' }, { type: 'merge', body: { rules: [] } });
      const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
      await roles.patch(
        { name: 'system:basic-user' },
        { type: 'merge', body: { metadata: { annotations }, rules: [] } },
      );
      await roles.delete({ name: 'system:node' });
      await first.client
        .of(ClusterRoleBinding)
        .patch({ name: 'cluster-admin' }, { type: 'merge', body: { subjects: [] } });
    }
    await using second = await start();
    const roles = second.client.of(ClusterRole);
    expect((await roles.get({ name: 'system:discovery' })).rules).not.toEqual([]);
    expect((await roles.get({ name: 'system:basic-user' })).rules).toBeNull();
    await expect(roles.get({ name: 'system:node' })).resolves.toBeDefined();
    const binding = await second.client.of(ClusterRoleBinding).get({ name: 'cluster-admin' });
    expect(binding.subjects).toEqual([{ kind: 'Group', apiGroup: group, name: 'system:masters' }]);
  });
});

describe('tokens of service accounts', () => {
  interface Answered {
    readonly status: { readonly token: string; readonly authenticated?: boolean; readonly error?: string };
  }
  const request = async (spec: object = {}) =>
    (
      (await admin.raw({
        method: 'POST',
        path: tokenPath,
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec },
      })) as Answered
    ).status.token;
  const review = async (token: string, audiences?: readonly string[]) =>
    (
      (await admin.raw({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token, ...(audiences ? { audiences } : {}) },
        },
      })) as Answered
    ).status;
  const pod = {
    metadata: { name: 'web', namespace: at },
    spec: { serviceAccountName: 'robot', containers: [{ name: 'a', image: 'a' }] },
  };

  beforeEach(async () => {
    await admin.of(ServiceAccount).create({ metadata: { name: 'robot', namespace: at } });
  });

  it('are good until they expire', async () => {
    const token = await request({ expirationSeconds: 600 });
    expect(await review(token)).toMatchObject({
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    });
    await clock.advance(700_000);
    expect((await review(token)).error).toContain('service account token has expired');
  });

  it('are good for their audience only', async () => {
    const token = await request({ audiences: ['vault'] });
    expect((await review(token)).error).toContain('token audiences ["vault"] is invalid for the target audiences');
    expect(await review(token, ['vault', 'other'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
  });

  it('go with their account, and with the object they are bound to', async () => {
    const made = await admin.of(Pod).create(pod);
    const token = await request({
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web', uid: made.metadata.uid },
    });
    const wrong = request({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web', uid: 'another' } });
    await expect(wrong).rejects.toMatchObject({ code: 409 });
    expect(await review(token)).toMatchObject({
      authenticated: true,
      user: { extra: { 'authentication.kubernetes.io/pod-name': ['web'] } },
    });
    await admin.of(Pod).delete({ namespace: at, name: 'web' }, { gracePeriodSeconds: 0 });
    expect((await review(token)).error).toContain('service account token has been invalidated');
    const plain = await request();
    await admin.of(ServiceAccount).delete({ namespace: at, name: 'robot' });
    expect((await review(plain)).error).toContain('serviceaccounts "robot" not found');
    await admin.of(ServiceAccount).create({ metadata: { name: 'robot', namespace: at } });
    expect((await review(plain)).error).toContain('does not match claim');
  });

  it('are not taken when forged or damaged', async () => {
    const token = await request();
    const [head = '', body = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'system:serviceaccount:kube-system:x' })).toString(
      'base64url',
    );
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const bad of [
      `${head}.${forged}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}`,
      `${head}.${body}.AAAA`,
      'a.b.c',
      '...',
    ]) {
      expect(await review(bad), bad).toMatchObject({ error: expect.stringContaining('invalid bearer token') });
    }
  });
});
