import { Secret, ServiceAccount } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../test-cluster.ts';

const type = 'kubernetes.io/service-account-token';
const secret = (name: string, account: string, uid?: string): Secret => ({
  metadata: {
    name,
    annotations: {
      'kubernetes.io/service-account.name': account,
      ...(uid === undefined ? {} : { 'kubernetes.io/service-account.uid': uid }),
    },
  },
  type,
});
const text = (value: string | undefined) => Buffer.from(value ?? '', 'base64').toString();

interface Review {
  readonly status: { readonly authenticated?: boolean; readonly user?: object; readonly error?: string };
}

async function review(world: TestCluster, token: string): Promise<Review['status']> {
  const path = '/apis/authentication.k8s.io/v1/tokenreviews';
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
  return ((await world.client.raw({ method: 'POST', path, body })) as Review).status;
}

async function tokenOf(world: TestCluster, name: string): Promise<string> {
  return text((await world.get(Secret, name)).data?.['token']);
}

test('a secret is filled, and its token is good as long as it is in there', async () => {
  await using world = await TestCluster.start({ nodes: 0 });
  const account = await world.create(ServiceAccount, { metadata: { name: 'robot' } });
  await world.create(Secret, secret('robot-token', 'robot'));
  const { metadata, data = {} } = await world.get(Secret, 'robot-token');
  expect(metadata.annotations).toMatchObject({ 'kubernetes.io/service-account.uid': account.metadata.uid });
  expect(text(data['namespace'])).toBe('default');
  expect(text(data['ca.crt'])).toContain('BEGIN CERTIFICATE');
  const token = text(data['token']);
  const user = {
    username: 'system:serviceaccount:default:robot',
    uid: account.metadata.uid,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
  };
  expect(await review(world, token)).toMatchObject({ authenticated: true, user });
  const used = (await world.get(Secret, 'robot-token')).metadata.labels?.['kubernetes.io/legacy-token-last-used'];
  expect(used).toMatch(/^\d{4}-\d\d-\d\d$/);
  await world.patch(Secret, 'robot-token', { data: { token: '' } });
  expect((await review(world, token)).error).toContain("Token does not match server's copy");
  expect(await review(world, await tokenOf(world, 'robot-token'))).toMatchObject({ authenticated: true });
  await world.patch(Secret, 'robot-token', {
    metadata: { labels: { 'kubernetes.io/legacy-token-invalid-since': 'x' } },
  });
  expect((await review(world, await tokenOf(world, 'robot-token'))).error).toContain('has been marked invalid');
  await world.delete(Secret, 'robot-token');
  expect((await review(world, token)).error).toContain('Token has been invalidated');
});

test('it goes with its account, and comes to nothing without one', async () => {
  await using world = await TestCluster.start({ nodes: 0 });
  await world.create(ServiceAccount, { metadata: { name: 'robot' } });
  await world.create(Secret, secret('a', 'robot'));
  await world.create(Secret, secret('b', 'nobody'));
  await world.create(Secret, secret('c', 'robot', 'another-uid'));
  expect((await world.names(Secret)).filter((name) => name.length === 1)).toEqual(['a']);
  const token = await tokenOf(world, 'a');
  await world.delete(ServiceAccount, 'robot');
  expect(await world.find(Secret, 'a')).toBeUndefined();
  await world.create(ServiceAccount, { metadata: { name: 'robot' } });
  expect((await review(world, token)).authenticated).toBeUndefined();
});

test('an account does not list a secret that is gone', async () => {
  await using world = await TestCluster.start({ nodes: 0 });
  await world.create(ServiceAccount, { metadata: { name: 'robot' }, secrets: [{ name: 'a' }, { name: 'other' }] });
  await world.create(Secret, secret('a', 'robot'));
  await world.delete(Secret, 'a');
  expect((await world.get(ServiceAccount, 'robot')).secrets).toEqual([{ name: 'other' }]);
});
