import type { DynamicObject } from '@coxswain/k8s';
import type { Logger } from '@coxswain/runtime/core';
import { seededRandom } from '@coxswain/runtime/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtinAdmission } from './admission/index.ts';
import { builtinResources, createRegistry } from './builtin/index.ts';
import { createTestApi, type TestApi } from './rest/test-api.ts';
import { builtinForms, builtinSubresources } from './subresources/index.ts';

const container = {
  name: 'c',
  image: 'i',
  ports: [{ containerPort: 80 }],
  env: [{ name: 'A', value: 'b' }],
  resources: { requests: { cpu: '1' } },
  livenessProbe: { httpGet: { port: 80 } },
  volumeMounts: [{ name: 'v', mountPath: '/x' }],
};
const antiAffinity = [{ topologyKey: 'h', labelSelector: { matchLabels: { a: 'b' } } }];
const podSpec = {
  containers: [container],
  volumes: [{ name: 'v', emptyDir: {} }],
  tolerations: [{ key: 'x', operator: 'Exists' }],
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: antiAffinity } },
};
const template = { metadata: { labels: { a: 'b' } }, spec: podSpec };
const selector = { matchLabels: { a: 'b' } };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const job = { template: { spec: { ...podSpec, restartPolicy: 'Never' } } };
const metadata = { name: 'x' };
const structural = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { a: { type: 'string', default: 'x' } } } },
};
const crdSpec = {
  group: 'e.com',
  scope: 'Namespaced',
  names: { plural: 'ws', kind: 'W' },
  versions: [
    { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: structural } },
  ],
};

/** A valid object of each kind that has rules worth upsetting. */
const samples: readonly (readonly [path: string, object: DynamicObject])[] = [
  ['/api/v1/namespaces/default/pods', { metadata, spec: podSpec }],
  ['/apis/apps/v1/namespaces/default/deployments', { metadata, spec: { replicas: 1, selector, template } }],
  [
    '/apis/apps/v1/namespaces/default/statefulsets',
    {
      metadata,
      spec: { serviceName: 's', selector, template, volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: claim }] },
    },
  ],
  ['/apis/apps/v1/namespaces/default/replicasets', { metadata, spec: { selector, template } }],
  ['/apis/batch/v1/namespaces/default/jobs', { metadata, spec: job }],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    { metadata, spec: { schedule: '* * * * *', jobTemplate: { spec: job } } },
  ],
  [
    '/api/v1/namespaces/default/services',
    {
      metadata,
      spec: {
        type: 'NodePort',
        selector: { a: 'b' },
        ports: [{ name: 'p', port: 80, targetPort: 'http', nodePort: 30001 }],
      },
    },
  ],
  ['/api/v1/namespaces/default/persistentvolumeclaims', { metadata, spec: claim }],
  [
    '/api/v1/persistentvolumes',
    { metadata, spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } } },
  ],
  [
    '/api/v1/nodes',
    { metadata, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] }, status: { capacity: { cpu: '1' } } },
  ],
  ['/api/v1/namespaces/default/secrets', { metadata, type: 'Opaque', stringData: { a: 'b' }, data: { c: 'ZA==' } }],
  ['/api/v1/namespaces/default/configmaps', { metadata, data: { a: 'b' }, binaryData: { c: 'ZA==' } }],
  [
    '/api/v1/namespaces/default/events',
    { metadata, involvedObject: { kind: 'Pod', namespace: 'default' }, reason: 'r' },
  ],
  ['/apis/policy/v1/namespaces/default/poddisruptionbudgets', { metadata, spec: { minAvailable: 1, selector } }],
  [
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    { metadata, spec: { holderIdentity: 'a', leaseDurationSeconds: 1 } },
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    { metadata, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  ],
  [
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    { metadata, addressType: 'IPv4', endpoints: [{ addresses: ['1.1.1.1'] }], ports: [{ port: 1 }] },
  ],
  ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { metadata: { name: 'ws.e.com' }, spec: crdSpec }],
];

type Path = readonly (string | number)[];

function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, i) => [i, item])
    : Object.entries(value);
  return [at, ...entries.flatMap(([key, item]) => pathsOf(item, [...at, key]))];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? replaced(item, rest, by) : item));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: replaced(fields[key], rest, by) };
}

const junk = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  1.5,
  1e30,
  '',
  'x',
  'A_b',
  '1Gi',
  '50%',
  [],
  [null],
  [{}],
  {},
  { a: null },
  ['a', 'a'],
);

/** A sample with one or two places, below the root, replaced by something else. */
const upset = fc
  .record({ sample: fc.nat(), places: fc.array(fc.tuple(fc.nat(), junk), { minLength: 1, maxLength: 2 }) })
  .map(({ sample, places }) => {
    const [path, object] = samples[sample % samples.length] ?? samples[0] ?? ['', { metadata }];
    const body = places.reduce<unknown>((value, [place, by]) => {
      const all = pathsOf(value).slice(1);
      return all.length === 0 ? value : replaced(value, all[place % all.length] ?? [], by);
    }, object);
    return { path, object, body };
  });

function stackOf(fields: object): unknown {
  return 'err' in fields && fields.err instanceof Error ? fields.err.stack : fields;
}

async function startApi(faults: unknown[]): Promise<TestApi> {
  const log: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (fields) => faults.push(stackOf(fields)),
    child: () => log,
  };
  const registry = createRegistry(builtinResources());
  const admission = builtinAdmission({ random: seededRandom(1) });
  const api = await createTestApi({ registry, log, admission, subresources: builtinSubresources, forms: builtinForms });
  await api.ok('POST', '/api/v1/namespaces', { body: { metadata: { name: 'default' } } });
  await api.ok('POST', '/api/v1/namespaces/default/serviceaccounts', { body: { metadata: { name: 'default' } } });
  return api;
}

it('the rules of built-in kinds take anything: they refuse, and never fail', async () => {
  const faults: unknown[] = [];
  const api = await startApi(faults);
  await fc.assert(
    fc.asyncProperty(upset, async ({ path, object, body }) => {
      faults.length = 0;
      const at = `${path}/${object.metadata.name}`;
      const fieldManager = { query: { fieldManager: 'm', force: 'true' } };
      await api.ask('POST', path, { body });
      await api.ask('DELETE', at, { body: { gracePeriodSeconds: 0 } });
      await api.ask('POST', path, { body: object });
      await api.ask('PUT', at, { body });
      await api.ask('PATCH', at, { body, contentType: 'application/strategic-merge-patch+json' });
      await api.ask('PATCH', at, { body, contentType: 'application/apply-patch+yaml', ...fieldManager });
      await api.ask('PATCH', `${at}/status`, { body: { status: body }, contentType: 'application/merge-patch+json' });
      await api.ask('DELETE', at, { body: { gracePeriodSeconds: 0 } });
      expect(faults).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
