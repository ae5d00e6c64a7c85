import { Deployment, Pod, PodDisruptionBudget, ServiceAccount } from '@coxswain/k8s';
import { apply, evict, merge, requestToken } from '@coxswain/runtime/client';
import { isConflict, isNotFound, isTooManyRequests } from '@coxswain/runtime/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';
import { failure } from '../test-failure.ts';
import { installWidgets, type WidgetKind, widget } from './test-widget.ts';

let world: TestCluster;
let Widget: WidgetKind;
beforeAll(async () => {
  world = await startTestCluster();
  Widget = await installWidgets(world);
});
afterAll(() => world.stop());

const at = (name: string) => ({ namespace: world.namespace, name });

test('scale of a custom kind: read, replaced, patched', async () => {
  const widgets = world.client.of(Widget);
  await widgets.create(widget(world.namespace, 'scaled', { size: 2 }));
  const scale = await widgets.scale.get(at('scaled'));
  expect(scale).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } });
  const next = await widgets.scale.update(at('scaled'), { ...scale, spec: { replicas: 3 } });
  expect(next.spec.replicas).toBe(3);
  expect(isConflict(await failure(widgets.scale.update(at('scaled'), scale)))).toBe(true);
  expect((await widgets.scale.patch(at('scaled'), merge({ spec: { replicas: 4 } }))).spec.replicas).toBe(4);
  expect((await widgets.get(at('scaled'))).spec.size).toBe(4);
  expect(isNotFound(await failure(widgets.scale.get(at('nobody'))))).toBe(true);
});

test('scale of a Deployment, by server-side apply too', async () => {
  const deployments = world.client.of(Deployment);
  const labels = { app: 'idle' };
  await deployments.create({
    metadata: at('idle'),
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'one:1' }] } },
    },
  });
  expect(await deployments.scale.get(at('idle'))).toMatchObject({ status: { replicas: 0, selector: 'app=idle' } });
  const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: at('idle'), spec: { replicas: 1 } };
  await deployments.scale.patch(at('idle'), apply(body), { fieldManager: 'scaler', force: true });
  const { metadata, spec } = await deployments.get(at('idle'));
  expect(spec?.replicas).toBe(1);
  expect(metadata.managedFields?.find(({ manager }) => manager === 'scaler')).toMatchObject({ subresource: 'scale' });
});

test('apply makes and changes; applyStatus and patchStatus write the status alone', async () => {
  const widgets = world.client.of(Widget);
  const options = { fieldManager: 'first' };
  expect((await widgets.apply(widget(world.namespace, 'applied', { size: 2 }), options)).spec.size).toBe(2);
  const error = await failure(
    widgets.apply(widget(world.namespace, 'applied', { size: 3 }), { fieldManager: 'second' }),
  );
  expect(isConflict(error)).toBe(true);
  await widgets.apply(widget(world.namespace, 'applied', { size: 3 }), { fieldManager: 'second', force: true });
  await widgets.applyStatus({ ...widget(world.namespace, 'applied', { size: 9 }), status: { made: 1 } }, options);
  expect(await widgets.get(at('applied'))).toMatchObject({ spec: { size: 3 }, status: { made: 1 } });
  const patched = await widgets.patchStatus(at('applied'), merge({ spec: { size: 9 }, status: { made: 2 } }));
  expect(patched).toMatchObject({ spec: { size: 3 }, status: { made: 2 } });
});

test('an eviction heeds the disruption budget', async () => {
  const { client, namespace } = world;
  const labels = { app: 'guarded' };
  await client.of(ServiceAccount).create({ metadata: at('tenant') });
  const containers = [{ name: 'main', image: 'one:1' }];
  const spec = { serviceAccountName: 'tenant', automountServiceAccountToken: false, containers };
  await client.of(Pod).create({ metadata: { ...at('guarded'), labels }, spec });
  const budget = await client.of(PodDisruptionBudget).create({
    metadata: { namespace, name: 'guard' },
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  });
  // A budget that is not up to date forbids everything; a pod that never ran is nobody's loss.
  await client.of(Pod).patchStatus(at('guarded'), merge({ status: { phase: 'Running' } }));
  const error = await failure(evict(client, at('guarded'), { timeout: 2000 }));
  expect(isTooManyRequests(error)).toBe(true);
  await client.of(PodDisruptionBudget).delete({ namespace, name: budget.metadata.name });
  expect(await evict(client, at('guarded'), { gracePeriodSeconds: 0 })).toBeUndefined();
  expect(isNotFound(await failure(evict(client, at('nobody'))))).toBe(true);
});

test('a token of a service account is one of its own', async () => {
  const { client, namespace } = world;
  await client.of(ServiceAccount).create({ metadata: { namespace, name: 'robot' } });
  const { token, expirationTimestamp } = await requestToken(client, at('robot'), {
    audiences: ['vault'],
    expirationSeconds: 3600,
  });
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as object;
  expect(claims).toMatchObject({ sub: `system:serviceaccount:${namespace}:robot`, aud: ['vault'] });
  expect(expirationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(isNotFound(await failure(requestToken(client, at('nobody'))))).toBe(true);
});
