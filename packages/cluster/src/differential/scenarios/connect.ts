import { core, del, get, mergePatch, object, post, put } from '../build.ts';
import type { Area, Step } from '../types.ts';

const pods = core('pods');
const services = core('services');
const slices = '/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices';

const container = (name: string, more: object = {}) => ({ name, image: 'busybox', ...more });

const pod = (name: string, spec: object = {}) =>
  post(pods, object('v1', 'Pod', name, { spec: { containers: [container('main')], ...spec } }));

/** A pod that says it has an address. */
const addressed = (name: string, podIP: string, spec: object = {}): readonly Step[] => [
  pod(name, spec),
  mergePatch(`${pods}/${name}/status`, { status: { phase: 'Running', podIP, podIPs: [{ ip: podIP }] } }),
];

/** A node where nobody listens. */
const node = (name: string, status: object): readonly Step[] => [
  post('/api/v1/nodes', object('v1', 'Node', name)),
  mergePatch(`/api/v1/nodes/${name}/status`, { status }),
];
const silent = {
  addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
  daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
};

const several = {
  initContainers: [container('first'), container('beside', { restartPolicy: 'Always' })],
  containers: [container('main'), container('helper')],
};

const service = (name: string, ports: readonly object[], more: object = {}) =>
  post(services, object('v1', 'Service', name, { spec: { ports, ...more } }));

const slice = (name: string, of: string, endpoints: readonly object[], ports: readonly object[]) =>
  post(slices, {
    ...object('discovery.k8s.io/v1', 'EndpointSlice', name, {
      metadata: { labels: { 'kubernetes.io/service-name': of } },
    }),
    addressType: 'IPv4',
    endpoints,
    ports,
  });

const at = (path: string) => get(`${pods}/${path}`);

/** Everything that exec and attach refuse before they look at the connection, and what they say to one that is not to be upgraded. */
const commands = (name: 'exec' | 'attach'): readonly Step[] => [
  at(`missing/${name}?command=ls`),
  at(`waiting/${name}?command=ls`),
  at(`waiting/${name}?command=ls&container=other`),
  at(`waiting/${name}?command=ls&container=`),
  at(`several/${name}?command=ls`),
  at(`several/${name}?command=ls&container=first`),
  at(`several/${name}?command=ls&container=other`),
  at(`lost/${name}?command=ls`),
  at(`homeless/${name}?command=ls`),
  at(`placed/${name}?command=ls&stdout=true`),
  at(`placed/${name}`),
  at(`placed/${name}?stdin=maybe&stdout=0&tty=1&command=ls&command=-l`),
  at(`placed/${name}?dryRun=All`),
  at(`placed/${name}/more?command=ls`),
  post(`${pods}/placed/${name}?command=ls&stdout=true`),
  post(`${pods}/placed/${name}?command=ls`, { any: 'body' }),
  post(`${pods}/missing/${name}?command=ls`),
  put(`${pods}/placed/${name}`, {}),
  mergePatch(`${pods}/placed/${name}`, {}),
  del(`${pods}/placed/${name}`),
];

const webSocket = (protocol: string) => ({
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': protocol,
});
const spdy = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };

const ann = { 'impersonate-user': 'ann' };

const subjects: readonly Step[] = [
  ...node('silent', silent),
  ...node('mute', {}),
  pod('waiting'),
  pod('several', several),
  pod('lost', { nodeName: 'nowhere' }),
  pod('homeless', { nodeName: 'mute' }),
  pod('placed', { nodeName: 'silent' }),
];

const remains: readonly Step[] = [del('/api/v1/nodes/silent'), del('/api/v1/nodes/mute')];

/** What is refused, or answered, without any node behind the server. */
export const connect: Area = {
  name: 'connect',
  scenarios: [
    {
      title: 'logs',
      steps: [
        ...subjects,
        at('missing/log'),
        at('waiting/log'),
        at('waiting/log?follow=true&tailLines=5'),
        at('waiting/log?container=other'),
        at('waiting/log?container=main'),
        at('several/log'),
        at('several/log?container=first'),
        at('several/log?container=beside'),
        at('several/log?container=helper&previous=true'),
        at('several/log?container=other'),
        at('lost/log'),
        at('homeless/log'),
        at('placed/log'),
        at('placed/log?follow=1&previous=true&timestamps=true&sinceSeconds=5&tailLines=3&limitBytes=10'),
        at('placed/log?sinceTime=2024-01-02T03:04:05%2B02:00&insecureSkipTLSVerifyBackend=true'),
        at('waiting/log?tailLines=-1'),
        at('waiting/log?tailLines=-1&limitBytes=0&sinceSeconds=0'),
        at('waiting/log?sinceSeconds=-5'),
        at('waiting/log?sinceSeconds=0&sinceTime=2024-01-02T03:04:05Z'),
        at('waiting/log?tailLines=many'),
        at('waiting/log?tailLines='),
        at('waiting/log?tailLines=99999999999999999999'),
        at('waiting/log?limitBytes=1.5'),
        at('waiting/log?sinceTime=yesterday'),
        at('waiting/log?sinceTime='),
        at('waiting/log?sinceTime=2024-01-02'),
        at('waiting/log?stream=Stdout'),
        at('waiting/log?stream='),
        at('waiting/log?previous=&follow=no&timestamps=0&insecureSkipTLSVerifyBackend=x'),
        at('waiting/log?unknown=1'),
        at('missing/log?tailLines=-1'),
        at('waiting/log/more'),
        post(`${pods}/waiting/log`, {}),
        put(`${pods}/waiting/log`, {}),
        mergePatch(`${pods}/waiting/log`, {}),
        del(`${pods}/waiting/log`),
        ...remains,
      ],
    },
    {
      title: 'logs and what may be accepted',
      steps: [
        pod('waiting'),
        get(`${pods}/waiting/log`, { accept: 'text/plain', headers: { 'x-d': '1' } }),
        get(`${pods}/waiting/log`, { accept: 'application/json, */*', headers: { 'x-d': '1' } }),
        get(`${pods}/waiting/log`, { accept: 'application/vnd.kubernetes.protobuf, */*', headers: { 'x-d': '1' } }),
        get(`${pods}/missing/log`, { accept: 'text/plain', headers: { 'x-d': '1' } }),
        get(`${pods}/missing/exec`, { accept: 'text/plain', headers: { 'x-d': '1' } }),
        get(`${pods}/missing/proxy/`, { accept: 'text/html', headers: { 'x-d': '1' } }),
      ],
    },
    { title: 'exec', steps: [...subjects, ...commands('exec'), ...remains] },
    { title: 'attach', steps: [...subjects, ...commands('attach'), ...remains] },
    {
      title: 'upgrades that lead nowhere',
      steps: [
        ...subjects,
        ...['exec', 'attach', 'portforward'].flatMap((name) => [
          get(`${pods}/placed/${name}?stdout=1&command=ls`, { headers: webSocket('v4.channel.k8s.io') }),
          get(`${pods}/placed/${name}?stdout=1`, { headers: webSocket('unknown.protocol') }),
          post(`${pods}/placed/${name}?stdout=1&command=ls`, undefined, { headers: spdy }),
          post(`${pods}/placed/${name}`, undefined, { headers: spdy }),
          get(`${pods}/missing/${name}?stdout=1&command=ls`, { headers: webSocket('v5.channel.k8s.io') }),
          post(`${pods}/waiting/${name}?stdout=1&command=ls`, undefined, { headers: spdy }),
          post(`${pods}/several/${name}?stdout=1&command=ls`, undefined, { headers: spdy }),
          post(`${pods}/placed/${name}?dryRun=All`, undefined, { headers: spdy }),
        ]),
        get(`${pods}/placed/log`, { headers: webSocket('binary.k8s.io') }),
        get(`${pods}/missing/log`, { headers: webSocket('binary.k8s.io') }),
        get(`${pods}/missing/proxy/`, { headers: webSocket('any') }),
        ...remains,
      ],
    },
    {
      title: 'port forwarding',
      steps: [
        ...subjects,
        at('missing/portforward'),
        at('waiting/portforward'),
        at('lost/portforward?ports=80'),
        at('homeless/portforward?ports=80'),
        at('several/portforward?ports=80'),
        at('placed/portforward'),
        at('placed/portforward?ports=80,81&ports=82'),
        at('placed/portforward?ports=many'),
        at('placed/portforward?ports=70000'),
        at('placed/portforward?ports='),
        at('placed/portforward?ports=-1'),
        at('placed/portforward?dryRun=All'),
        post(`${pods}/placed/portforward`),
        post(`${pods}/missing/portforward`),
        put(`${pods}/placed/portforward`, {}),
        del(`${pods}/placed/portforward`),
        ...remains,
      ],
    },
    {
      title: 'proxies to pods',
      steps: [
        pod('waiting'),
        ...addressed('here', '127.0.0.1'),
        ...addressed('odd', '10.244.0.9', { containers: [container('main', { ports: [{ containerPort: 8080 }] })] }),
        at('missing/proxy'),
        at('missing/proxy/'),
        at('missing:80/proxy/'),
        at('waiting/proxy'),
        at('waiting:80/proxy/a/b'),
        at('here/proxy/'),
        at('here:80/proxy/'),
        at('http:here:80/proxy/'),
        at('ftp:here:80/proxy/'),
        at('a:b:here:80/proxy/'),
        at(':80/proxy/'),
        at('odd/proxy'),
        at('odd/proxy?a=1&b=2'),
        at('odd:81/proxy'),
        at('http:odd:81/proxy'),
        at('odd/proxy/?dryRun=All'),
        at('missing/proxy/?dryRun=All'),
        post(`${pods}/missing/proxy/x`, { a: 1 }),
        put(`${pods}/missing/proxy/x`, { a: 1 }),
        mergePatch(`${pods}/missing/proxy/x`, { a: 1 }),
        del(`${pods}/missing/proxy/x`),
        post(`${pods}/here/proxy/`, { a: 1 }),
      ],
    },
    {
      title: 'proxies to services',
      steps: [
        service('bare', [{ port: 80 }]),
        service('named', [
          { name: 'web', port: 80 },
          { name: 'admin', port: 81 },
        ]),
        service('outside', [], { type: 'ExternalName', externalName: 'example.com' }),
        ...addressed('p', '10.244.0.10'),
        get(`${services}/missing/proxy/`),
        get(`${services}/missing:80/proxy/`),
        get(`${services}/missing:web/proxy/`),
        get(`${services}/bare/proxy/`),
        get(`${services}/bare:80/proxy/`),
        get(`${services}/bare:81/proxy/`),
        get(`${services}/bare:/proxy/`),
        get(`${services}/https:bare:80/proxy/`),
        get(`${services}/tcp:bare:80/proxy/`),
        get(`${services}/a:b:bare:80/proxy/`),
        get(`${services}/named/proxy/`),
        get(`${services}/named:web/proxy/`),
        get(`${services}/outside/proxy/`),
        slice('bare-1', 'bare', [{ addresses: ['10.244.0.10'] }], [{ name: '', port: 8080 }]),
        get(`${services}/bare:80/proxy/`),
        slice(
          'named-1',
          'named',
          [
            {
              addresses: ['10.244.0.10'],
              conditions: { ready: false },
              targetRef: { kind: 'Pod', namespace: '{ns}', name: 'p' },
            },
            { addresses: ['10.244.0.11'], targetRef: { kind: 'Pod', namespace: '{ns}', name: 'p' } },
            { addresses: ['10.244.0.10'], targetRef: { kind: 'Pod', namespace: '{ns}', name: 'gone' } },
            { addresses: ['10.244.0.10'], targetRef: { kind: 'Pod', namespace: 'default', name: 'p' } },
          ],
          [{ name: 'web', port: 8080 }],
        ),
        get(`${services}/named:web/proxy/`),
        get(`${services}/named:80/proxy/`),
        get(`${services}/named:admin/proxy/`),
        post(`${services}/missing/proxy/x`, { a: 1 }),
        put(`${services}/missing/proxy/x`, { a: 1 }),
        mergePatch(`${services}/missing/proxy/x`, { a: 1 }),
        del(`${services}/missing/proxy/x`),
        get(`${services}/missing/proxy/?dryRun=All`),
      ],
    },
    {
      title: 'the way to a ready endpoint',
      steps: [
        service('web', [{ name: 'web', port: 80 }]),
        ...addressed('p', '10.244.0.12'),
        slice(
          'web-1',
          'web',
          [{ addresses: ['10.244.0.12'], targetRef: { kind: 'Pod', namespace: '{ns}', name: 'p' } }],
          [{ name: 'web', port: 8080 }],
        ),
        get(`${services}/web:web/proxy`, { slow: true }),
        get(`${services}/web:80/proxy`),
        get(`${services}/https:web:web/proxy`),
      ],
    },
    {
      title: 'proxies to nodes',
      steps: [
        ...node('silent', silent),
        ...node('mute', {}),
        get('/api/v1/nodes/missing/proxy'),
        get('/api/v1/nodes/missing/proxy/healthz'),
        get('/api/v1/nodes/missing:10250/proxy/healthz'),
        get('/api/v1/nodes/mute/proxy/healthz'),
        get('/api/v1/nodes/silent/proxy/healthz'),
        get('/api/v1/nodes/silent:1/proxy/healthz'),
        get('/api/v1/nodes/https:silent:1/proxy/healthz'),
        get('/api/v1/nodes/tcp:silent:1/proxy/healthz'),
        get('/api/v1/nodes/a:b:silent:1/proxy/healthz'),
        get('/api/v1/nodes/missing/proxy/?dryRun=All'),
        post('/api/v1/nodes/missing/proxy/run', { a: 1 }),
        put('/api/v1/nodes/missing/proxy/run', { a: 1 }),
        mergePatch('/api/v1/nodes/missing/proxy/run', { a: 1 }),
        del('/api/v1/nodes/missing/proxy/run'),
        ...remains,
      ],
    },
    {
      title: 'who may do what',
      steps: [
        ...subjects,
        post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles', {
          ...object('rbac.authorization.k8s.io/v1', 'Role', 'looks'),
          rules: [
            {
              apiGroups: [''],
              resources: ['pods', 'pods/log', 'pods/exec', 'pods/attach', 'pods/proxy'],
              verbs: ['get'],
            },
            { apiGroups: [''], resources: ['pods/portforward', 'services/proxy'], verbs: ['create'] },
          ],
        }),
        post('/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings', {
          ...object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'ann-looks'),
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'looks' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
        }),
        ...addressed('here', '127.0.0.1'),
        service('s', [{ port: 80 }]),
        get(`${pods}/placed/log`, { headers: ann }),
        get(`${pods}/placed/exec?command=ls`, { headers: ann }),
        get(`${pods}/missing/exec?command=ls`, { headers: ann }),
        get(`${pods}/placed/exec?command=ls&dryRun=All`, { headers: ann }),
        post(`${pods}/placed/exec?command=ls`, undefined, { headers: ann }),
        get(`${pods}/placed/attach`, { headers: ann }),
        get(`${pods}/placed/portforward`, { headers: ann }),
        post(`${pods}/placed/portforward`, undefined, { headers: ann }),
        get(`${pods}/here/proxy/`, { headers: ann }),
        post(`${pods}/here/proxy/`, undefined, { headers: ann }),
        del(`${pods}/here/proxy/`, undefined, { headers: ann }),
        get(`${services}/s/proxy/`, { headers: ann }),
        post(`${services}/s/proxy/`, undefined, { headers: ann }),
        get('/api/v1/nodes/silent/proxy/', { headers: ann }),
        ...remains,
      ],
    },
    {
      title: 'paths beside the subresources',
      steps: [
        pod('p'),
        get('/api/v1/pods/p/log'),
        get('/api/v1/pods/p/exec'),
        get('/api/v1/nodes/n/exec'),
        get('/api/v1/nodes/n/log'),
        get(`${services}/s/log`),
        get(`${services}/s/exec`),
        get(core('configmaps/c/proxy')),
        get(core('pods/p/nothing')),
        get(core('pods/p/proxies/x')),
        get('/apis/apps/v1/namespaces/{ns}/deployments/d/log'),
        get('/apis/apps/v1/namespaces/{ns}/deployments/d/proxy/x'),
      ],
    },
  ],
};
