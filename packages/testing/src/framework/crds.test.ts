import { CustomResourceDefinition } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { isInvalid } from '@coxswain/runtime/core';
import { defineResource, s } from '@coxswain/schema';
import { expect, test } from 'vitest';
import { startTestCluster } from '../test-cluster/index.ts';
import { installWidgets, widget } from './test-widget.ts';

test('a kind is served as soon as its installation has ended; installing it again changes nothing', async () => {
  await using world = await startTestCluster();
  const { client, clock, group, namespace } = world;
  const Widget = await installWidgets(world);
  const made = await client.of(Widget).create(widget(namespace, 'a'));
  expect(made.apiVersion).toBe(`${group}/v1`);
  const key = { name: `widgets.${group}` };
  const before = await client.of(CustomResourceDefinition).get(key);
  await installCrds(client, [Widget.crd()], { clock });
  expect(await client.of(CustomResourceDefinition).get(key)).toEqual(before);
});

test('a new field of a kind is there after the upgrade, and old objects still are', async () => {
  await using world = await startTestCluster();
  const { client, clock, group, namespace } = world;
  const gadget = (spec: ReturnType<typeof s.object>) =>
    defineResource({ group, version: 'v1', kind: 'Gadget', plural: 'gadgets', scope: 'Namespaced', spec });
  const old = gadget(s.object({ a: s.string() }));
  await installCrds(client, [old.crd()], { clock });
  await client.of(old).create({ metadata: { name: 'g', namespace }, spec: { a: 'x' } });
  const next = gadget(s.object({ a: s.string(), b: s.string().default('new') }));
  await installCrds(client, [next.crd()], { clock });
  const told = await world.eventually(async () => {
    const object = await client.of(next).get({ namespace, name: 'g' });
    return 'b' in object.spec && object.spec;
  });
  expect(told).toEqual({ a: 'x', b: 'new' });
});

test('a definition that the server cannot take is refused, and said why', async () => {
  await using world = await startTestCluster();
  const { client, clock, group } = world;
  const good = defineResource({
    group,
    version: 'v1',
    kind: 'Bad',
    plural: 'bads',
    scope: 'Namespaced',
    spec: s.object({ a: s.string() }),
  }).crd();
  const bad = { ...good, metadata: { name: `wrong.${group}` } };
  const error = await installCrds(client, [bad], { clock }).catch((thrown: unknown) => thrown);
  expect(isInvalid(error)).toBe(true);
  expect((error as Error).message).toContain('metadata.name');
});
