import { checkCrd } from '@coxswain/schema/check';
import { crdCases, crdOfCase } from '@coxswain/schema/test';
import { expect, test } from 'vitest';
import { startTestCluster } from '../test-cluster/index.ts';
import { askCrd } from './ask-crd.ts';

test('what is said of definitions before is what the server says of them', async () => {
  await using world = await startTestCluster();
  const { client, group } = world;
  for (const one of crdCases) {
    const errors = checkCrd(crdOfCase(one, group)).filter(({ severity }) => severity === 'error');
    const said = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))].sort();
    expect({ [one.name]: said }).toEqual({ [one.name]: await askCrd(client, one, group) });
  }
});
