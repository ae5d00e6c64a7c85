import type { DynamicObject, Kind } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';

let world: TestCluster;
let boxes: Kind<DynamicObject>;
beforeAll(async () => {
  world = await startTestCluster({ http: true });
  const { client, clock, group } = world;
  boxes = { group, version: 'v1', kind: 'Box', plural: 'boxes', scope: 'Namespaced' };
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `boxes.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Box', plural: 'boxes', singular: 'box', listKind: 'BoxList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: anything } }],
    },
  } as const;
  await installCrds(client, [crd], { clock });
});
afterAll(() => world.stop());

/** Any JSON but null, with integers of the whole int64 range, held as the client holds them. */
const integer = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((big) => (Number.isSafeInteger(Number(big)) ? Number(big) : big));
const content = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, integer, fc.string(), fc.boolean(), tie('list'), tie('fields')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  fields: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).fields as fc.Arbitrary<Record<string, unknown>>;

test('objects with integers of any size come back to the digit, whichever way they are written and read', async () => {
  const { client, namespace } = world;
  const resource = client.of(boxes);
  let count = 0;
  const firstSeen = async (resourceVersion: string) => {
    for await (const events of await resource.watch({ namespace, resourceVersion })) {
      return (events[0]?.object as DynamicObject | undefined)?.spec;
    }
    return undefined;
  };
  const lives = fc.asyncProperty(content, content, async (first, second) => {
    const key = { namespace, name: `box-${++count}` };
    const from = (await resource.list({ namespace })).metadata.resourceVersion ?? '';
    const made = await resource.create({ metadata: key, spec: first });
    expect(made.spec).toStrictEqual(first);
    expect(await firstSeen(from)).toStrictEqual(first);
    const updated = await resource.update({ ...made, spec: second });
    expect(updated.spec).toStrictEqual(second);
    const patched = await resource.patch(key, merge({ more: first }));
    expect([patched.spec, patched.more]).toStrictEqual([second, first]);
    const object = { metadata: key, applied: second };
    expect((await resource.apply(object, { fieldManager: 'applier', force: true })).applied).toStrictEqual(second);
    const { items } = await resource.list({ namespace, fields: { 'metadata.name': key.name } });
    expect(items[0]).toMatchObject({ metadata: { name: key.name } });
    expect([items[0]?.spec, items[0]?.more, items[0]?.applied]).toStrictEqual([second, first, second]);
  });
  await fc.assert(lives, { numRuns: 25 });
});
