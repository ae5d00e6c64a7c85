import { get } from '../build.ts';
import type { Area } from '../types.ts';

const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
const versions = [
  'apps/v1',
  'batch/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'storage.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'networking.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
];

/** What clients learn about the kinds, in both forms. */
export const discovery: Area = {
  name: 'discovery',
  scenarios: [
    {
      title: 'documents',
      steps: [
        get('/api'),
        get('/api/v1'),
        get('/apis'),
        ...versions.map((version) => get(`/apis/${version}`)),
        get('/apis/apps'),
        get('/apis/autoscaling'),
        get('/apis/apps/'),
        get('/api', aggregated),
        get('/apis', aggregated),
        get('/apis', { accept: `${aggregated.accept},application/json` }),
        get('/apis', {
          accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
        }),
      ],
    },
  ],
};
