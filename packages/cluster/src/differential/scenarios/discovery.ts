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
  'apiregistration.k8s.io/v1',
  'admissionregistration.k8s.io/v1',
  'certificates.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'node.k8s.io/v1',
  'resource.k8s.io/v1',
  'storagemigration.k8s.io/v1',
];

/** Accept headers that only a wire has. */
const onWire = (accept: string) => ({ headers: { accept } });
const form = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

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
    {
      title: 'forms',
      steps: [
        get('/apis', { accept: `application/json;${form};profile=nopeer,application/json` }),
        get('/apis', { accept: `application/json;q=0.4,application/json;${form};q=0.8` }),
        get('/api', { accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList' }),
        get('/apis', { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }),
        get('/apis/apps', aggregated),
        get('/api/v1', { accept: `application/json;${form},application/json` }),
        get('/apis/apps/v1', onWire('application/vnd.kubernetes.protobuf')),
        get('/apis/apps', onWire('application/vnd.kubernetes.protobuf')),
        get('/apis', onWire('application/vnd.kubernetes.protobuf')),
        get('/api/v1', onWire('application/vnd.kubernetes.protobuf')),
        get('/apis', onWire(`application/vnd.kubernetes.protobuf;${form}`)),
        get('/api', onWire(`application/vnd.kubernetes.protobuf;${form}`)),
        get('/apis/apps', onWire('application/yaml')),
        get('/apis', onWire(`application/yaml;${form}`)),
        get('/apis', onWire('text/html')),
        get('/apis/apps/v1', onWire('text/html')),
        get('/apis/apps/v1', onWire('application/cbor, application/json;q=0.1')),
        get('/openapi/v2', onWire('text/html')),
        get('/openapi/v3/apis/apps/v1', onWire('application/yaml')),
        get('/openapi/v3/apis/nope/v1'),
      ],
    },
  ],
};
