import { collect, configMap, core, del, mergePatch, post, put, watch } from '../build.ts';
import type { Area, Step } from '../types.ts';

const cms = core('configmaps');
const made = (name: string, tier: string): Step =>
  post(cms, configMap(name, { metadata: { labels: { tier } } }), { save: { [name]: 'metadata.resourceVersion' } });
const mine = 'labelSelector=tier';
const at = (query: string) => `${cms}?watch=true&${mine}&${query}`;
const moved = (name: string, tier: string) => mergePatch(`${cms}/${name}`, { metadata: { labels: { tier } } });

/** Start points, selections and ends of watches. */
export const watches: Area = {
  name: 'watches',
  scenarios: [
    {
      title: 'starts',
      steps: [
        made('a', 'x'),
        made('b', 'x'),
        made('c', 'x'),
        watch('none', at('')),
        watch('zero', at('resourceVersion=0')),
        watch('since', at('resourceVersion={b}')),
        watch('initial', at('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true')),
        watch(
          'initial-zero',
          at('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0'),
        ),
        watch(
          'initial-since',
          at('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={c}'),
        ),
        watch('initial-mute', at('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0')),
        watch('no-initial', at('sendInitialEvents=false&resourceVersionMatch=NotOlderThan')),
        watch('no-initial-zero', at('sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0')),
        watch('future', at('resourceVersion=99999999')),
        watch('prefix', `/api/v1/watch/namespaces/{ns}/configmaps?${mine}`),
        watch('prefix-one', `/api/v1/watch/namespaces/{ns}/configmaps/b`),
        watch(
          'whole',
          '/api/v1/configmaps?watch=1&labelSelector=tier%3Dx,tier&fieldSelector=metadata.namespace%3D{ns}',
        ),
        made('d', 'x'),
        mergePatch(`${cms}/b`, { data: { k: 'v' } }),
        del(`${cms}/a`),
        ...(
          [
            ['none', 6],
            ['zero', 6],
            ['since', 4],
            ['initial', 7],
            ['initial-zero', 7],
            ['initial-since', 7],
            ['initial-mute', 6],
            ['no-initial', 3],
            ['no-initial-zero', 3],
            ['future', 0],
            ['prefix', 6],
            ['prefix-one', 2],
            ['whole', 6],
          ] as const
        ).map(([name, events]) => collect(name, events)),
      ],
    },
    {
      title: 'refusals',
      steps: [
        watch('r1', at('sendInitialEvents=true')),
        watch('r2', at('sendInitialEvents=true&resourceVersionMatch=Exact')),
        watch('r3', at('sendInitialEvents=nonsense')),
        watch('r4', at('resourceVersionMatch=NotOlderThan')),
        watch('r5', at('resourceVersionMatch=Exact&resourceVersion=1')),
        watch('r6', at('resourceVersion=x')),
        watch('r7', at('timeoutSeconds=x')),
        watch('r8', at('limit=5&continue=x')),
        watch('r9', `${cms}?watch=true&labelSelector=a+in+()`),
        watch('r10', `${cms}?watch=true&fieldSelector=data.x%3D1`),
        watch('r11', at('allowWatchBookmarks=nonsense')),
      ],
    },
    {
      title: 'selections',
      steps: [
        made('a', 'x'),
        made('b', 'y'),
        watch('x', `${cms}?watch=true&labelSelector=tier%3Dx&resourceVersion={b}`),
        watch('name', `${cms}?watch=true&fieldSelector=metadata.name%3Da&resourceVersion={b}`),
        watch('meta', `${cms}?watch=true&labelSelector=tier%3Dx&resourceVersion={b}`, {
          accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
        }),
        watch('table', `${cms}?watch=true&labelSelector=tier%3Dx&resourceVersion={b}`, {
          accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
        }),
        moved('a', 'y'),
        moved('b', 'x'),
        moved('a', 'x'),
        mergePatch(`${cms}/a`, { data: { k: 'v' } }),
        mergePatch(`${cms}/a`, { data: { k: 'v' } }),
        moved('a', 'z'),
        del(`${cms}/a`),
        del(`${cms}/b`),
        collect('x', 6),
        collect('name', 5),
        collect('meta', 6),
        collect('table', 6),
      ],
    },
    {
      title: 'finalizers in a watch',
      steps: [
        made('seen', 'x'),
        post(cms, configMap('a', { metadata: { labels: { tier: 'x' }, finalizers: ['d.example/hold'] } })),
        watch('w', `${cms}?watch=true&${mine}&resourceVersion={seen}`),
        del(`${cms}/a`),
        mergePatch(`${cms}/a`, { metadata: { finalizers: null } }),
        collect('w', 3),
      ],
    },
    {
      title: 'pods in a watch',
      steps: [
        made('seen', 'x'),
        watch('w', `${core('pods')}?watch=true&resourceVersion={seen}&fieldSelector=spec.nodeName%3Dn1`),
        post(core('pods'), {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { containers: [{ name: 'm', image: 'i' }] },
        }),
        post(core('pods/p/binding'), {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: 'p' },
          target: { kind: 'Node', name: 'n1' },
        }),
        put(core('pods/p/status'), {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: {},
          status: { phase: 'Running' },
        }),
        mergePatch(core('pods/p/status'), {
          status: { phase: 'Running', podIP: '10.1.1.1', podIPs: [{ ip: '10.1.1.1' }] },
        }),
        del(core('pods/p')),
        del(core('pods/p?gracePeriodSeconds=0')),
        collect('w', 4),
      ],
    },
    {
      title: 'ends',
      steps: [
        made('a', 'x'),
        watch('short', at('timeoutSeconds=1&resourceVersion={a}')),
        { collect: 'short', events: 0, toEnd: true },
      ],
    },
  ],
};
