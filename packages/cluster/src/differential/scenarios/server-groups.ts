import { applyPatch, del, get, group, jsonPatch, mergePatch, object, post, put, strategicPatch } from '../build.ts';
import type { Area, Scenario } from '../types.ts';
import { authority, leaf, signingRequest, stubRequest } from './certificates.ts';

type Body = Readonly<Record<string, unknown>>;

const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
const label = { metadata: { labels: { 'd.example/set': 'groups' } } };
const later = { metadata: { annotations: { changed: 'yes' } } };

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly all: string;
  readonly name: string;
  readonly body: Body;
  /** A change of the spec that is allowed. */
  readonly change?: Body;
  /** A status that may be written. */
  readonly status?: Body;
}

/** Every verb on one object, from its creation to its end. */
function life({ apiVersion, kind, all, name, body, change = later, status }: Kind): Scenario {
  const one = `${all}/${name}`;
  return {
    title: `${kind}: its life`,
    steps: [
      post(`${all}?dryRun=All`, object(apiVersion, kind, name, body)),
      post(all, object(apiVersion, kind, name, body), { save: { made: '' } }),
      get(one),
      get(one, table),
      mergePatch(one, label),
      mergePatch(one, change),
      strategicPatch(one, { metadata: { annotations: { strategic: 'yes' } } }),
      jsonPatch(one, [{ op: 'add', path: '/metadata/labels/json', value: 'yes' }]),
      applyPatch(`${one}?fieldManager=tester`, { apiVersion, kind, metadata: { name, labels: { applied: 'yes' } } }),
      get(one, { save: { now: '' } }),
      put(one, { metadata: { annotations: { put: 'yes' } } }, { base: 'now' }),
      put(one, {}, { base: 'made' }),
      ...(status
        ? [
            mergePatch(`${one}/status`, { status }),
            mergePatch(`${one}/status`, { metadata: { labels: { at: 'status' } }, status }),
            applyPatch(`${one}/status?fieldManager=tester`, { apiVersion, kind, metadata: { name }, status }),
            get(`${one}/status`, { save: { status: '' } }),
            put(`${one}/status`, { metadata: { annotations: { at: 'status' } } }, { base: 'status' }),
          ]
        : []),
      get(`${all}?labelSelector=d.example/set%3Dgroups`),
      del(one),
      get(one),
      post(all, object(apiVersion, kind, name, { ...body, ...label })),
      del(`${all}?labelSelector=d.example/set%3Dgroups`),
    ],
  };
}

/** Bodies that are not taken. */
function refused(title: string, all: string, bodies: readonly object[]): Scenario {
  return { title, steps: bodies.map((body) => post(all, body)) };
}

const condition = {
  type: 'Tested',
  status: 'True',
  reason: 'Test',
  message: 'tested',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

const certificates = 'certificates.k8s.io/v1';
const requests = `/apis/${certificates}/certificatesigningrequests`;
const bundles = `/apis/${certificates}/clustertrustbundles`;
const signer = 'example.com/signer';
const requestSpec = { request: signingRequest, signerName: signer, usages: ['digital signature', 'client auth'] };
const request = (name: string, spec: Body) =>
  object(certificates, 'CertificateSigningRequest', name, { spec: { ...requestSpec, ...spec } });
const bundle = (name: string, spec: Body) => object(certificates, 'ClusterTrustBundle', name, { spec });
const podRequests = group(certificates, 'podcertificaterequests');
const podRequestSpec = {
  signerName: signer,
  podName: 'pod',
  podUID: 'pod-uid',
  serviceAccountName: 'account',
  serviceAccountUID: 'account-uid',
  nodeName: 'node',
  nodeUID: 'node-uid',
  maxExpirationSeconds: 86400,
  stubPKCS10Request: stubRequest,
};
const podRequest = (name: string, spec: Body) =>
  object(certificates, 'PodCertificateRequest', name, { spec: { ...podRequestSpec, ...spec } });
const approvalOf = (type: string) => ({ status: { conditions: [{ type, status: 'True', reason: 'Test' }] } });
const fixedTimes = { lastUpdateTime: '2026-01-01T00:00:00Z', lastTransitionTime: '2026-01-01T00:00:00Z' };

const certificateScenarios: readonly Scenario[] = [
  life({
    apiVersion: certificates,
    kind: 'CertificateSigningRequest',
    all: requests,
    name: 'alice',
    body: { spec: { ...requestSpec, expirationSeconds: 7200 } },
    change: { spec: { signerName: 'other.example/changed' } },
  }),
  {
    title: 'approval and status of a signing request',
    steps: [
      post(requests, request('bob', {})),
      get(`${requests}/bob/approval`),
      mergePatch(`${requests}/bob/status`, approvalOf('Approved')),
      mergePatch(`${requests}/bob/approval`, {
        status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', ...fixedTimes }] },
      }),
      get(`${requests}/bob`, { ...table, save: { bob: '' } }),
      mergePatch(`${requests}/bob/approval`, { status: { certificate: Buffer.from(leaf).toString('base64') } }),
      mergePatch(`${requests}/bob/status`, { status: { certificate: 'bm90IHBlbQ==' } }),
      mergePatch(`${requests}/bob/status`, { status: { certificate: Buffer.from(leaf).toString('base64') } }),
      mergePatch(`${requests}/bob/status`, { status: { certificate: Buffer.from(authority).toString('base64') } }),
      mergePatch(`${requests}/bob/approval`, { status: { conditions: [] } }),
      mergePatch(`${requests}/bob/approval`, {
        status: { conditions: [{ type: 'Approved', status: 'False', reason: 'Test', ...fixedTimes }] },
      }),
      get(`${requests}/bob`),
      get(`${requests}?fieldSelector=spec.signerName%3Dexample.com/signer`),
      get(`${requests}?fieldSelector=spec.username%3Dadmin`),
      del(`${requests}/bob`),
    ],
  },
  refused('signing requests that are refused', requests, [
    request('a', { request: '' }),
    request('a', { request: 'bm90IHBlbQ==' }),
    request('a', { usages: [] }),
    request('a', { usages: ['dancing', 'signing', 'signing'] }),
    request('a', { signerName: '' }),
    request('a', { signerName: 'none' }),
    request('a', { signerName: 'UP.example/x' }),
    request('a', { signerName: 'single/Path' }),
    request('a', { signerName: 'kubernetes.io/legacy-unknown' }),
    request('a', { expirationSeconds: 10 }),
  ]),
  life({
    apiVersion: certificates,
    kind: 'ClusterTrustBundle',
    all: bundles,
    name: 'trusted',
    body: { spec: { trustBundle: authority } },
  }),
  refused('trust bundles that are refused', bundles, [
    bundle('a:b', { trustBundle: authority }),
    bundle('a', { trustBundle: '' }),
    bundle('a', { trustBundle: leaf }),
    bundle('a', { trustBundle: 'nothing' }),
    bundle('a', { trustBundle: authority + authority }),
    bundle('a', { signerName: signer, trustBundle: authority }),
    bundle('a', { trustBundle: '-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n' }),
  ]),
  life({
    apiVersion: certificates,
    kind: 'PodCertificateRequest',
    all: podRequests,
    name: 'pod',
    body: { spec: podRequestSpec },
    status: { conditions: [{ ...condition, type: 'Denied' }] },
  }),
  {
    title: 'status of pod certificate requests',
    steps: [
      post(podRequests, podRequest('p', {})),
      mergePatch(`${podRequests}/p/status`, { status: { conditions: [condition] } }),
      mergePatch(`${podRequests}/p/status`, { status: { notBefore: '2026-01-01T00:00:00Z' } }),
      mergePatch(`${podRequests}/p/status`, { status: { conditions: [{ ...condition, type: 'Issued' }] } }),
      mergePatch(`${podRequests}/p`, { spec: { podName: 'another' } }),
      mergePatch(`${podRequests}/p/status`, {
        status: { conditions: [{ ...condition, type: 'Failed', status: 'False' }] },
      }),
      mergePatch(`${podRequests}/p/status`, { status: { conditions: [{ ...condition, type: 'Failed' }] } }),
      mergePatch(`${podRequests}/p/status`, { status: { conditions: [{ ...condition, type: 'Denied' }] } }),
      get(`${podRequests}?fieldSelector=spec.podName%3Dpod`, table),
    ],
  },
  refused('pod certificate requests that are refused', podRequests, [
    podRequest('a', { signerName: 'none' }),
    podRequest('a', { podUID: '', podName: 'Up' }),
    podRequest('a', { maxExpirationSeconds: 10 }),
    podRequest('a', { maxExpirationSeconds: 86401, signerName: 'kubernetes.io/x' }),
    podRequest('a', { stubPKCS10Request: 'AAAA' }),
    podRequest('a', { pkixPublicKey: 'AAAA' }),
    podRequest('a', { unverifiedUserAnnotations: { plain: 'x' } }),
  ]),
];

const flowcontrol = 'flowcontrol.apiserver.k8s.io/v1';
const schemas = `/apis/${flowcontrol}/flowschemas`;
const levels = `/apis/${flowcontrol}/prioritylevelconfigurations`;
const subject = { kind: 'User', user: { name: 'x' } };
const rule = {
  subjects: [subject],
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
};
const schema = (spec: Body) =>
  object(flowcontrol, 'FlowSchema', 'a', { spec: { priorityLevelConfiguration: { name: 'missing' }, ...spec } });
const level = (spec: Body) => object(flowcontrol, 'PriorityLevelConfiguration', 'a', { spec });
const queue = (queuing: Body | undefined) => ({
  type: 'Limited',
  limited: { limitResponse: { type: 'Queue', ...(queuing ? { queuing } : {}) } },
});

const flowcontrolScenarios: readonly Scenario[] = [
  life({
    apiVersion: flowcontrol,
    kind: 'PriorityLevelConfiguration',
    all: levels,
    name: 'tested',
    body: { spec: queue({}) },
    change: { spec: { limited: { nominalConcurrencyShares: 4 } } },
    status: { conditions: [condition] },
  }),
  refused('flow schemas that are refused', schemas, [
    schema({ matchingPrecedence: -1 }),
    schema({ matchingPrecedence: 10001 }),
    schema({ matchingPrecedence: 1 }),
    schema({ distinguisherMethod: { type: 'ByMood' } }),
    schema({ priorityLevelConfiguration: { name: '' } }),
    schema({ rules: [{ subjects: [] }] }),
    schema({ rules: [{ ...rule, subjects: [{ kind: 'Robot' }] }] }),
    schema({ rules: [{ ...rule, subjects: [{ kind: 'User', group: { name: 'x' } }] }] }),
    schema({ rules: [{ ...rule, subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: 'Up' } }] }] }),
    schema({ rules: [{ ...rule, nonResourceRules: [{ verbs: ['dance'], nonResourceURLs: ['x', '/a//b', '/*/a'] }] }] }),
    schema({ rules: [{ ...rule, resourceRules: [{ verbs: ['*', 'get'], apiGroups: [], resources: ['*', 'a'] }] }] }),
    schema({
      rules: [{ ...rule, resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['Up'] }] }],
    }),
  ]),
  refused('priority levels that are refused', levels, [
    level({ type: '' }),
    level({ type: 'Exempt' }),
    level({ type: 'Limited' }),
    level({ type: 'Odd' }),
    level(queue(undefined)),
    level(queue({ queues: 1, handSize: 2 })),
    level(queue({ queues: 1_000_000, handSize: 10 })),
    level(queue({ queueLengthLimit: -1 })),
    level({
      type: 'Limited',
      limited: { nominalConcurrencyShares: -1, limitResponse: { type: 'Reject', queuing: {} } },
    }),
    level({
      type: 'Limited',
      limited: { lendablePercent: 101, borrowingLimitPercent: -1, limitResponse: { type: 'Odd' } },
    }),
  ]),
  {
    title: 'what every cluster has of flow control',
    steps: [
      get(`${schemas}/exempt`),
      get(`${schemas}/system-leader-election`),
      get(`${levels}/workload-low`),
      get(`${levels}/exempt`),
      mergePatch(`${levels}/catch-all`, { spec: { limited: { nominalConcurrencyShares: 7 } } }),
      mergePatch(`${schemas}/probes?dryRun=All`, { spec: { matchingPrecedence: 3 } }),
    ],
  },
];

const migration = 'storagemigration.k8s.io/v1';
const migrations = `/apis/${migration}/storageversionmigrations`;
const migrationScenarios: readonly Scenario[] = [
  life({
    apiVersion: migration,
    kind: 'StorageVersionMigration',
    all: migrations,
    name: 'tested',
    body: { spec: { resource: { group: 'apps', resource: 'deployments' } } },
    status: { conditions: [condition], resourceVersion: '7' },
  }),
  refused('migrations that are refused', migrations, [
    object(migration, 'StorageVersionMigration', 'a'),
    object(migration, 'StorageVersionMigration', 'a', { spec: { resource: { group: 'Up', resource: 'Up' } } }),
  ]),
  {
    title: 'the status of a migration',
    steps: [
      post(migrations, object(migration, 'StorageVersionMigration', 'm', { spec: { resource: { resource: 'pods' } } })),
      mergePatch(`${migrations}/m`, { spec: { resource: { resource: 'secrets' } } }),
      mergePatch(`${migrations}/m/status`, { status: { resourceVersion: 'x' } }),
      mergePatch(`${migrations}/m/status`, { status: { conditions: [{ type: '', status: 'Odd' }] } }),
      mergePatch(`${migrations}/m/status`, {
        status: { conditions: ['Succeeded', 'Failed'].map((type) => ({ ...condition, type })) },
      }),
      mergePatch(`${migrations}/m/status`, { status: { conditions: [{ ...condition, type: 'Succeeded' }] } }),
      mergePatch(`${migrations}/m/status`, { status: { conditions: [] } }),
      get(`${migrations}/m`, table),
      del(`${migrations}/m`),
    ],
  },
];

const networking = 'networking.k8s.io/v1';
const addresses = `/apis/${networking}/ipaddresses`;
const subnets = `/apis/${networking}/servicecidrs`;
const parentRef = { group: 'apps', resource: 'deployments', namespace: 'x', name: 'y' };
const address = (name: string, spec: Body) => object(networking, 'IPAddress', name, { spec });
const subnet = (...cidrs: readonly string[]) => object(networking, 'ServiceCIDR', 'a', { spec: { cidrs } });
const networkScenarios: readonly Scenario[] = [
  life({
    apiVersion: networking,
    kind: 'IPAddress',
    all: addresses,
    name: '192.168.1.2',
    body: { spec: { parentRef } },
  }),
  refused('addresses that are refused', addresses, [
    address('x', { parentRef }),
    address('010.1.1.1', { parentRef }),
    address('::ffff:1.2.3.4', { parentRef }),
    address('2001:db8:0:0:0:0:0:1', { parentRef }),
    address('10.1.1.1', {}),
    address('10.1.1.1', { parentRef: { group: 'Up', resource: '', name: 'a/b', namespace: '..' } }),
  ]),
  refused('subnets that are refused', subnets, [
    subnet(),
    subnet('x'),
    subnet('10.1.1.1/24'),
    subnet('10.1.0.0/024'),
    subnet('010.1.0.0/24'),
    subnet('2001:db8:0::/64'),
    subnet('2001:db8::1/64'),
    subnet('10.1.0.0/24', '10.2.0.0/24'),
    subnet('10.1.0.0/24', '2001:db8::/64', '10.2.0.0/24'),
  ]),
];

const devices = 'resource.k8s.io/v1';
const claims = group(devices, 'resourceclaims');
const templates = group(devices, 'resourceclaimtemplates');
const claimSpec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example' } }] } };
const claim = (...wanted: readonly object[]) =>
  object(devices, 'ResourceClaim', 'a', { spec: { devices: { requests: wanted } } });
const slices = `/apis/${devices}/resourceslices`;
const sliceSpec = {
  driver: 'driver.example',
  pool: { name: 'pool', generation: 1, resourceSliceCount: 1 },
  nodeName: 'node',
  devices: [{ name: 'gpu-0', attributes: { model: { string: 'one' } }, capacity: { memory: { value: '1Gi' } } }],
};
const slice = (spec: Body) => object(devices, 'ResourceSlice', 'a', { spec: { ...sliceSpec, ...spec } });
const taintRules = `/apis/${devices}/devicetaintrules`;
const taint = { key: 'broken', value: 'yes', effect: 'NoSchedule' };
const taintRule = (spec: Body) => object(devices, 'DeviceTaintRule', 'a', { spec });
const classes = `/apis/${devices}/deviceclasses`;
const deviceClass = (spec: Body) => object(devices, 'DeviceClass', 'a', { spec });
const allocation = {
  devices: { results: [{ request: 'gpu', driver: 'driver.example', pool: 'pool', device: 'gpu-0' }] },
};
const deviceScenarios: readonly Scenario[] = [
  life({
    apiVersion: devices,
    kind: 'DeviceClass',
    all: classes,
    name: 'gpu.example',
    body: { spec: { selectors: [{ cel: { expression: 'device.driver == "driver.example"' } }] } },
    change: { spec: { config: [{ opaque: { driver: 'driver.example', parameters: { a: 1 } } }] } },
  }),
  life({
    apiVersion: devices,
    kind: 'ResourceClaim',
    all: claims,
    name: 'gpu',
    body: { spec: claimSpec },
    status: { allocation },
  }),
  life({
    apiVersion: devices,
    kind: 'ResourceClaimTemplate',
    all: templates,
    name: 'gpu',
    body: { spec: { metadata: { labels: { a: 'b' } }, spec: claimSpec } },
  }),
  life({ apiVersion: devices, kind: 'ResourceSlice', all: slices, name: 'node-gpu', body: { spec: sliceSpec } }),
  life({
    apiVersion: devices,
    kind: 'DeviceTaintRule',
    all: taintRules,
    name: 'broken',
    body: { spec: { deviceSelector: { driver: 'driver.example' }, taint } },
    change: { spec: { taint: { value: 'no' } } },
    status: { conditions: [condition] },
  }),
  refused('claims that are refused', claims, [
    claim({ name: 'Up', exactly: { deviceClassName: 'a' } }),
    claim({ name: 'a' }),
    claim({ name: 'a', exactly: {} }),
    claim({ name: 'a', exactly: { deviceClassName: 'a', allocationMode: 'All', count: 2 } }),
    claim({ name: 'a', exactly: { deviceClassName: 'a', allocationMode: 'Odd' } }),
    claim({
      name: 'a',
      exactly: { deviceClassName: 'a', tolerations: [{ key: 'a b', operator: 'Exists', value: 'x' }] },
    }),
    claim({ name: 'a', firstAvailable: [{ name: 'b', deviceClassName: '' }] }),
    claim({ name: 'a', exactly: { deviceClassName: 'a', selectors: [{}] } }),
    claim(
      { name: 'b', exactly: { deviceClassName: 'a' } },
      { name: 'a', exactly: { deviceClassName: '', adminAccess: true } },
    ),
    object(devices, 'ResourceClaim', 'a', {
      spec: { devices: { ...claimSpec.devices, constraints: [{ requests: ['none'], matchAttribute: 'plain' }] } },
    }),
    object(devices, 'ResourceClaim', 'a', {
      spec: { devices: { ...claimSpec.devices, config: [{ requests: ['gpu'] }] } },
    }),
  ]),
  refused('device classes and slices that are refused', classes, [
    deviceClass({ config: [{ opaque: { driver: 'Up' } }] }),
    deviceClass({ extendedResourceName: 'plain' }),
  ]),
  refused('slices that are refused', slices, [
    slice({ driver: '' }),
    slice({ pool: { name: '', generation: -1, resourceSliceCount: 0 } }),
    slice({ nodeName: '' }),
    slice({ allNodes: true }),
    slice({ devices: [{ name: 'Up' }, { name: 'b' }, { name: 'b' }] }),
    slice({ devices: [{ name: 'a', attributes: { 'a-b': { string: 'x' } } }] }),
    slice({ devices: [{ name: 'a', attributes: { a: {} } }] }),
    slice({ devices: [{ name: 'a', attributes: { a: { version: 'x' } } }] }),
    slice({ devices: [{ name: 'a', allNodes: true }] }),
    slice({ devices: [{ name: 'a', taints: [{ key: '', effect: 'Odd' }] }] }),
  ]),
  refused('taint rules that are refused', taintRules, [
    taintRule({ taint: { key: '', effect: '' } }),
    taintRule({ taint: { ...taint, effect: 'Odd', value: 'a b' } }),
    taintRule({ taint, deviceSelector: { driver: '', pool: 'Up', device: 'Up' } }),
  ]),
];

const registration = 'apiregistration.k8s.io/v1';
const services = `/apis/${registration}/apiservices`;
const apiService = (name: string, spec: Body) => object(registration, 'APIService', name, { spec });
const service = { namespace: 'x', name: 'y' };
const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
const registrationScenarios: readonly Scenario[] = [
  {
    title: 'the services that every cluster has',
    steps: [
      get(`${services}/v1.`),
      get(`${services}/v1.apps`),
      get(`${services}/v2.autoscaling`, table),
      get(`${services}/v1.storagemigration.k8s.io`),
    ],
  },
  refused('API services that are refused', services, [
    apiService('a', { group: 'g.example', version: 'v1', service, ...priorities }),
    apiService('v2.', { version: 'v2', service, ...priorities }),
    apiService('v1.Up', { group: 'Up', version: 'v1', service, ...priorities }),
    apiService('v1.g.example', { group: 'g.example', version: 'v1', service }),
    apiService('v1.g.example', { group: 'g.example', version: 'v1', insecureSkipTLSVerify: true, ...priorities }),
    apiService('v1.g.example', {
      group: 'g.example',
      version: 'v1',
      service: { port: 70000 },
      insecureSkipTLSVerify: true,
      caBundle: 'AAAA',
      ...priorities,
    }),
  ]),
  {
    title: 'component statuses and bindings',
    steps: [
      get('/api/v1/componentstatuses/etcd-0'),
      get('/api/v1/componentstatuses/none'),
      get('/api/v1/componentstatuses/etcd-0', table),
      post('/api/v1/namespaces/{ns}/bindings', {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'none' },
        target: { kind: 'Node', name: 'n' },
      }),
      get('/api/v1/namespaces/{ns}/bindings'),
      del('/api/v1/componentstatuses/etcd-0'),
    ],
  },
];

/** Certificates, flow control, storage migration, addresses, devices and API services. */
export const serverGroups: Area = {
  name: 'server-groups',
  scenarios: [
    ...registrationScenarios,
    ...certificateScenarios,
    ...flowcontrolScenarios,
    ...migrationScenarios,
    ...networkScenarios,
    ...deviceScenarios,
  ],
};
