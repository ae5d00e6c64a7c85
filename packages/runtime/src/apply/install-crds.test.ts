import { CustomResourceDefinition, type KubeObject } from '@coxswain/k8s';
import { expect, it } from 'vitest';
import { ConnectionError } from '../client/index.ts';
import { ApiError, apiError, TimeoutError, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { installCrds } from './index.ts';

const crd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.dev' },
};

function world() {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const install = () => installCrds(client, [crd], { clock, fieldManager: 'op' });
  /** As the server does when it serves the kind. */
  const establish = () =>
    client.of(CustomResourceDefinition).updateStatus({
      ...crd,
      status: { conditions: [{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: '' }] },
    } as never);
  return { clock, api, install, establish };
}

it('waits until the kinds are served', async () => {
  const t = world();
  let installed = false;
  const installing = t.install().then(() => {
    installed = true;
  });
  await t.clock.advance(1_000);
  expect(installed).toBe(false);
  await t.establish();
  await t.clock.advance(100);
  await installing;
});

it.each<[string, () => Error, string, new (...args: never[]) => Error]>([
  [
    'is not permitted',
    () => apiError(403, 'Forbidden', 'User "op" cannot patch resource "customresourcedefinitions"'),
    'the CRD widgets.test.dev could not be installed: User "op" cannot patch resource "customresourcedefinitions"; give its ClusterRole the verbs get, create and patch on customresourcedefinitions of apiextensions.k8s.io, or install the CRD before (kubectl apply, a chart) and leave installCrds out',
    ApiError,
  ],
  [
    'is not valid',
    () => apiError(422, 'Invalid', 'spec.versions: Required value'),
    'the CRD widgets.test.dev could not be installed: spec.versions: Required value',
    ApiError,
  ],
  [
    'reaches nobody',
    () => new ConnectionError('PATCH https://h/x: connect ECONNREFUSED 10.0.0.1:6443', { cause: new Error('insides') }),
    'the CRD widgets.test.dev could not be installed: PATCH https://h/x: connect ECONNREFUSED 10.0.0.1:6443; look whether the API server runs and the connection (kubeconfig) names the right one',
    ConnectionError,
  ],
  [
    'takes too long',
    () => new TimeoutError('patch: no answer within 30s'),
    'the CRD widgets.test.dev could not be installed: patch: no answer within 30s; look whether the API server runs and the connection (kubeconfig) names the right one',
    TimeoutError,
  ],
])('says which CRD it is and what to do when it %s', async (_, failure, message, type) => {
  const t = world();
  t.api.intercept = () => {
    throw failure();
  };
  const failed = t.install().catch((error: unknown) => error);
  await t.clock.advance(60_000);
  const error = await failed;
  expect(error).toBeInstanceOf(type);
  expect(error).toMatchObject({ message });
  expect((error as Error).cause).toBeUndefined();
});

it('says the same of a failure while it waits', async () => {
  const t = world();
  t.api.intercept = ({ method }) => {
    if (method === 'GET') throw apiError(403, 'Forbidden', 'User "op" cannot get resource "customresourcedefinitions"');
  };
  await expect(t.install()).rejects.toThrow('the CRD widgets.test.dev could not be installed: User "op" cannot get');
});
