import { configMap, core, del, get, mergePatch, object, post } from '../build.ts';
import type { Area, Step } from '../types.ts';

const cms = core('configmaps');
const pods = core('pods');
const five: readonly Step[] = ['a', 'b', 'c', 'd', 'e'].map((name, i) =>
  post(cms, configMap(name, { metadata: { labels: { tier: i % 2 ? 'odd' : 'even', [`only-${name}`]: '' } } }), {
    save: { [`rv-${name}`]: 'metadata.resourceVersion' },
  }),
);

// the namespace also holds what the cluster put there, on one server and not on the other
const mine = 'labelSelector=tier';
const list = (query: string, more: Partial<Step> = {}): Step => get(`${cms}?${mine}&${query}`, more);

const labelSelectors = [
  'tier=odd',
  'tier==odd',
  'tier!=odd,tier',
  'tier in (odd,even)',
  'tier in (odd), only-b',
  'tier notin (odd),tier',
  'only-a=',
  'tier,!only-a',
  ' tier = odd ',
  'nonsense',
  'tier in ()',
  'tier in (odd',
  'tier=odd=even',
  'bad key!=x',
  'tier=bad value!',
  'tier>1',
  'tier>x',
  ',',
];

const fieldSelectors = [
  'metadata.name=a',
  'metadata.name==a',
  'metadata.name!=a',
  'metadata.name!=a,metadata.name!=b',
  'metadata.namespace={ns}',
  'metadata.namespace=elsewhere',
  'data.x=1',
  'nonsense',
  'metadata.name',
  'metadata.name in (a)',
];

const podSelectors = [
  'spec.nodeName=',
  'spec.nodeName=n1',
  'status.phase=Pending',
  'status.phase!=Running',
  'spec.restartPolicy=Never',
  'spec.schedulerName=default-scheduler',
  'spec.serviceAccountName=default',
  'spec.hostNetwork=false',
  'status.podIP=',
  'status.nominatedNodeName=',
  'spec.priority=0',
  'metadata.uid=x',
];

const encode = (text: string): string => encodeURIComponent(text).replaceAll('%7Bns%7D', '{ns}');
const pod = (name: string, spec: object) =>
  post(
    pods,
    object('v1', 'Pod', name, {
      metadata: { labels: { tier: 'x' } },
      spec: { containers: [{ name: 'm', image: 'i' }], ...spec },
    }),
  );

/** GET and LIST: versions, pages, selectors. */
export const reads: Area = {
  name: 'reads',
  scenarios: [
    {
      title: 'versions of one object',
      steps: [
        post(cms, configMap('a'), { save: { rv: 'metadata.resourceVersion' } }),
        ...['', '?resourceVersion=', '?resourceVersion=0', '?resourceVersion={rv}', '?resourceVersion=1'].map((query) =>
          get(`${cms}/a${query}`),
        ),
        get(`${cms}/a?resourceVersion=x`),
        get(`${cms}/a?resourceVersion=-1`),
        get(`${cms}/a?resourceVersion=99999999`, { slow: true }),
        get(`${cms}/a?watch=true`),
        get(`${cms}/a?limit=1&labelSelector=x`),
      ],
    },
    {
      title: 'versions of a list',
      steps: [
        ...five,
        list(''),
        list('resourceVersion=0'),
        list('resourceVersion=0&limit=2'),
        list('resourceVersion={rv-c}'),
        list('resourceVersion={rv-c}&limit=2'),
        list('resourceVersion={rv-c}&resourceVersionMatch=Exact'),
        list('resourceVersion={rv-c}&resourceVersionMatch=Exact&limit=2'),
        list('resourceVersion={rv-c}&resourceVersionMatch=NotOlderThan'),
        list('resourceVersion={rv-c}&resourceVersionMatch=NotOlderThan&limit=2'),
        list('resourceVersion=0&resourceVersionMatch=NotOlderThan'),
        list('resourceVersion=0&resourceVersionMatch=Exact'),
        list('resourceVersionMatch=Exact'),
        list('resourceVersionMatch=NotOlderThan'),
        list('resourceVersion={rv-c}&resourceVersionMatch=Nonsense'),
        list('resourceVersion=x'),
        list('resourceVersion=-1'),
        list('resourceVersion=99999999', { slow: true }),
        list('resourceVersion=99999999&resourceVersionMatch=Exact', { slow: true }),
        list('resourceVersion=99999999&resourceVersionMatch=NotOlderThan', { slow: true }),
        list('limit=x'),
        list('limit=-1'),
        list('limit=0'),
        list('sendInitialEvents=true'),
        list('allowWatchBookmarks=true'),
        list('timeoutSeconds=5'),
        list('timeoutSeconds=x'),
      ],
    },
    {
      title: 'pages',
      steps: [
        ...five,
        list('limit=2', { save: { next: 'metadata.continue' } }),
        post(cms, configMap('bb', { metadata: { labels: { tier: 'late' } } })),
        del(`${cms}/d`),
        list('limit=2&continue={next}', { save: { last: 'metadata.continue' } }),
        list('limit=2&continue={last}'),
        list('continue={next}'),
        list('continue={next}&resourceVersion=1'),
        list('continue={next}&resourceVersion=0'),
        list('continue={next}&resourceVersionMatch=NotOlderThan'),
        list('continue=nonsense'),
        list(`continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"b\\u0000"}').toString('base64url')}`),
        list(`continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"b\\u0000"}').toString('base64url')}`),
        list(`continue=${Buffer.from('{"v":"other","rv":5,"start":"b\\u0000"}').toString('base64url')}`),
        list(`continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":5,"start":"../b"}').toString('base64url')}`),
        list('limit=100'),
        get('/api/v1/namespaces/{ns}/secrets?limit=1'),
        get('/api/v1/configmaps?labelSelector=tier%3Deven,only-a&limit=500'),
      ],
    },
    {
      title: 'pages without selectors',
      steps: [
        ...['a', 'b', 'c'].map((name) => post(core('secrets'), object('v1', 'Secret', name))),
        get(`${core('secrets')}?limit=1`, { save: { next: 'metadata.continue' } }),
        get(`${core('secrets')}?limit=1&continue={next}`),
        get(`${core('secrets')}?limit=3`),
        get(`${core('secrets')}?limit=2&resourceVersion=0`),
      ],
    },
    {
      title: 'label selectors',
      steps: [
        ...five,
        ...labelSelectors.map((text) =>
          get(`${cms}?fieldSelector=metadata.name!%3Dkube-root-ca.crt&labelSelector=${encode(text)}`),
        ),
      ],
    },
    {
      title: 'field selectors',
      steps: [
        ...five,
        ...fieldSelectors.map((text) => list(`fieldSelector=${encode(text)}`)),
        pod('p', {}),
        pod('q', { nodeName: 'n1', restartPolicy: 'Never' }),
        ...podSelectors.map((text) => get(`${pods}?fieldSelector=${encode(text)}`)),
        get('/api/v1/namespaces?fieldSelector=status.phase%3DActive,metadata.name%3D{ns}'),
        get('/api/v1/namespaces?fieldSelector=metadata.name%3D{ns}'),
        get(`${core('secrets')}?fieldSelector=type%3DOpaque`),
        get(`${core('services')}?fieldSelector=spec.type%3DClusterIP`),
        get(`${core('events')}?fieldSelector=involvedObject.name%3Dx,type!%3DNormal`),
        get('/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue,metadata.name%3Dx'),
        get('/apis/batch/v1/namespaces/{ns}/jobs?fieldSelector=status.successful%3D0'),
      ],
    },
    {
      title: 'forms',
      steps: [
        post(cms, configMap('a', { data: { x: '1' } })),
        get(`${cms}/a`, { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' }),
        get(`${cms}?fieldSelector=metadata.name%3Da`, {
          accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
        }),
        get(`${cms}/a`, { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1alpha1' }),
        get(`${cms}/a`, { accept: 'application/json;as=Nonsense;g=meta.k8s.io;v=v1' }),
        get(`${cms}/a`, { accept: 'application/json;as=Nonsense;g=meta.k8s.io;v=v1,application/json' }),
        mergePatch(
          `${cms}/a`,
          { data: { x: '2' } },
          { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
        ),
        get(`${cms}/a?pretty=true`),
      ],
    },
  ],
};
