import { Deployment, LimitRange, MutatingWebhookConfiguration, Pod, ResourceQuota } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster, template } from '../../controllers/test-cluster.ts';
import type { WebhookTarget } from './index.ts';

const labelling: WebhookTarget = async (_path, review) => {
  const { request } = review as { request: { uid: string; object: { metadata: { labels?: object } } } };
  const { labels = {} } = request.object.metadata;
  const operations = [{ op: 'add', path: '/metadata/labels', value: { ...labels, touched: 'yes' } }];
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
};

test('a whole cluster in virtual time, with a webhook on its pods, a quota and limits', async () => {
  await using world = await TestCluster.start({ webhookRoutes: new Map([['default/hooks', labelling]]) });
  await world.create(MutatingWebhookConfiguration, {
    metadata: { name: 'hooks' },
    webhooks: [
      {
        name: 'pods.example.com',
        clientConfig: { service: { namespace: 'default', name: 'hooks' } },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  } as MutatingWebhookConfiguration);
  await world.create(LimitRange, {
    metadata: { name: 'l' },
    spec: { limits: [{ type: 'Container', default: { cpu: '200m' }, defaultRequest: { cpu: '100m' } }] },
  });
  await world.create(ResourceQuota, { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '250m' } } });
  await world.create(Deployment, {
    metadata: { name: 'd' },
    spec: { replicas: 2, selector: { matchLabels: { app: 'd' } }, template: template({ app: 'd' }) },
  } as Deployment);
  await world.advance(5);
  const pods = await world.list(Pod);
  expect(pods.map(({ metadata }) => metadata.labels?.touched)).toEqual(['yes', 'yes']);
  expect((await world.get(ResourceQuota, 'q')).status?.used).toEqual({ 'requests.cpu': '200m' });
  const third = { metadata: { name: 'x' }, spec: template({}).spec } as Pod;
  await expect(world.create(Pod, third)).rejects.toThrow('exceeded quota: q, requested: requests.cpu=100m');
});
