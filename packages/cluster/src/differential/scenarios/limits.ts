import { applyPatch, configMap, core, get, mergePatch, object, post, put } from '../build.ts';
import type { Area, Step } from '../types.ts';

const cms = core('configmaps');
const bigs = '/apis/limits.example/v1/namespaces/{ns}/bigs';

const definition = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'bigs.limits.example', {
  spec: {
    group: 'limits.example',
    scope: 'Namespaced',
    names: { plural: 'bigs', singular: 'big', kind: 'Big', listKind: 'BigList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

const big = (name: string, size: number) =>
  object('limits.example/v1', 'Big', name, { spec: { text: 'x'.repeat(size) } });

/** Sent as text: the answer would repeat it. */
const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const metadataOnly = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };

const operations = (count: number): Step => ({
  method: 'PATCH',
  path: `${cms}/c`,
  contentType: 'application/json-patch+json',
  raw: JSON.stringify(Array.from({ length: count }, () => ({ op: 'test', path: '/data/a', value: '1' }))),
});

/** How large things may be. */
export const limits: Area = {
  name: 'limits',
  scenarios: [
    {
      title: 'sizes',
      steps: [
        post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition),
        // Takes three seconds, in which the definition comes to be served.
        get(`${cms}?resourceVersion=99999999&resourceVersionMatch=NotOlderThan`, { slow: true }),
        post(bigs, big('a', 1_572_000), metadataOnly),
        post(bigs, big('b', 1_573_000), metadataOnly),
        post(bigs, big('c', 3_145_500), { ...metadataOnly, headers: { 'x-wire': '1' } }),
        post(bigs, big('d', 3_146_000), { ...metadataOnly, headers: { 'x-wire': '1' } }),
        post(
          bigs,
          object('limits.example/v1', 'Big', 'owned', {
            spec: {
              text: 'x'.repeat(1_400_000),
              ...Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [`k${i}`, 1])),
            },
          }),
          metadataOnly,
        ),
        mergePatch(`${bigs}/a`, { spec: { more: 'y'.repeat(10_000) } }, metadataOnly),
        put(`${bigs}/owned`, big('owned', 1_600_000), metadataOnly),
        applyPatch(`${bigs}/a?fieldManager=m&force=true`, big('a', 1_600_000), metadataOnly),
        applyPatch(`${bigs}/e?fieldManager=m`, big('e', 1_600_000), metadataOnly),
        get(bigs, asTable),
      ],
    },
    {
      title: 'operations and headers',
      steps: [
        post(cms, configMap('c', { data: { a: '1' } })),
        operations(10_000),
        operations(10_001),
        post(cms, configMap('big', { data: { a: 'x'.repeat(1_048_577) } })),
        get(`${cms}/c`, { headers: { 'x-long': 'a'.repeat(200_000) } }),
        get(`${cms}/c?x=${'a'.repeat(50_000)}`),
      ],
    },
  ],
};
