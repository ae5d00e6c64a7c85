import { ConfigMap, Deployment } from '@coxswain/k8s';
import { observedChildren } from '@coxswain/runtime/actor';
import { findCondition, installCrds, isReady } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { startTestCluster, VirtualClock } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { Site, site, sites } from './own-children.ts';

async function setUp() {
  const world = await startTestCluster({ clock: new VirtualClock(), controlPlane: true });
  await installCrds(world.client, [Site.crd()]);
  const manager = await world.manager();
  sites(manager);
  await manager.start();
  const key = { namespace: world.namespace, name: 'blog' };
  const spec = { title: 'Blog', replicas: 2, notes: 'draft' };
  await world.client.of(Site).create({ metadata: key, ...{ spec } });
  await world.until(Site, key, (one) => one !== undefined && isReady(one) && one.status?.available === 2);
  return { world, client: world.client, key, at: (name: string) => ({ ...key, name }) };
}

test('children are made, owned, waited for, put back, pruned, and go with the site', async () => {
  const { world, client, key, at } = await setUp();
  await using _ = world;
  expect(findCondition(await client.of(Site).get(key), 'Ready')?.message).toBe('all children are ready');
  const owners = (await client.of(Deployment).get(at('blog-web'))).metadata.ownerReferences;
  expect(owners).toMatchObject([{ kind: 'Site', name: 'blog', controller: true }]);

  await client.of(ConfigMap).patch(at('blog-page'), merge({ data: { title: 'rubbish', extra: 'stays' } }));
  await world.settled();
  expect((await client.of(ConfigMap).get(at('blog-page'))).data).toEqual({ title: 'Blog', extra: 'stays' });

  await client.of(Site).patch(key, merge({ spec: { notes: null } }));
  await world.settled();
  expect(await client.of(ConfigMap).find(at('blog-notes'))).toBeUndefined();

  await client.of(Site).delete(key);
  await world.until(Deployment, at('blog-web'), (one) => one === undefined);
  await world.until(ConfigMap, at('blog-page'), (one) => one === undefined);
});

test('the site says which child it waits for', async () => {
  await using world = await startTestCluster({ clock: new VirtualClock() });
  await installCrds(world.client, [Site.crd()]);
  const manager = await world.manager();
  sites(manager);
  await manager.start();
  const key = { namespace: world.namespace, name: 'blog' };
  await world.client.of(Site).create({ metadata: key, ...{ spec: { title: 'Blog', replicas: 1 } } });
  await world.settled();
  expect(findCondition(await world.client.of(Site).get(key), 'Ready')).toMatchObject({
    status: 'False',
    reason: 'ChildNotReady',
    message: `Deployment ${world.namespace}/blog-web is not ready`,
  });
});

test('children are told without any server', () => {
  const blog: Site = { metadata: { name: 'blog', namespace: 'a' }, spec: { title: 'Blog', replicas: 1 } };
  const ids = site.children(blog, { observed: observedChildren() }).map(({ id }) => id);
  expect(ids).toEqual(['page', 'Deployment/blog-web']);
});
