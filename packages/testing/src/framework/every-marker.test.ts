import { CustomResourceDefinition } from '@coxswain/k8s';
import { installCrds } from '@coxswain/runtime/apply';
import { Everything } from '@coxswain/schema/test';
import { expect, test } from 'vitest';
import { startTestCluster } from '../test-cluster/index.ts';

test('a definition with every word of the builder is taken, and kept as it was written', async () => {
  await using world = await startTestCluster();
  const { client, clock, group } = world;
  const made = Everything.crd();
  const name = `everythings.${group}`;
  const crd = { ...made, metadata: { ...made.metadata, name }, spec: { ...made.spec, group } };
  await installCrds(client, [crd], { clock });
  const kept = await client.of(CustomResourceDefinition).get({ name });
  expect(kept.spec).toEqual({ ...crd.spec, conversion: { strategy: 'None' } });
  expect(kept.metadata).toMatchObject({ ...made.metadata, name });
});
