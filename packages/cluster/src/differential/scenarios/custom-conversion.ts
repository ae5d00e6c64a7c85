import { applyPatch, collect, del, get, group, mergePatch, post, put, watch } from '../build.ts';
import { hookBundle, hookUrl, withConversionHook } from '../conversion-hook.ts';
import type { Area } from '../types.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const events = `${crds}?watch=true&fieldSelector=metadata.name%3Dthings.conv.example`;
const v1 = group('conv.example/v1', 'things');
const v2 = group('conv.example/v2', 'things');
const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const asPartial = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json' };
/** Asked over a wire only: in virtual time nobody waits for a webhook. */
const wired = { headers: { 'x-wire': 'yes' } };

type Fields = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const integer = { type: 'integer' };

function version(name: string, properties: Fields, column: string, replicas: string) {
  return {
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties },
          status: { type: 'object', properties: { ready: integer } },
        },
      },
    },
    subresources: { status: {}, scale: { specReplicasPath: replicas, statusReplicasPath: '.status.ready' } },
    additionalPrinterColumns: [{ name: 'At', type: 'string', jsonPath: column }],
    selectableFields: [{ jsonPath: column }],
  };
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.conv.example' },
  spec: {
    group: 'conv.example',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { url: `${hookUrl}/convert`, caBundle: hookBundle },
      },
    },
    versions: [
      version(
        'v1',
        { host: text, port: { ...integer, default: 80 }, replicas: integer },
        '.spec.host',
        '.spec.replicas',
      ),
      version(
        'v2',
        { address: text, note: { ...text, default: 'none' }, replicas: integer },
        '.spec.address',
        '.spec.replicas',
      ),
    ],
  },
};

const thing = (apiVersion: string, name: string, spec: Fields, labels?: Fields) => ({
  apiVersion: `conv.example/${apiVersion}`,
  kind: 'Thing',
  metadata: { name, ...(labels ? { labels } : {}) },
  spec,
});

const oddities = [
  ...['no-response', 'wrong-uid', 'wrong-kind', 'failure', 'no-status', 'no-objects', 'other-version', 'no-version'],
  ...['other-kind', 'other-name', 'other-namespace', 'other-uid', 'no-metadata', 'odd-labels', 'number-label'],
  ...['bad-label', 'bad-annotation', 'other-metadata', 'unknown-field', 'broken', 'empty'],
];

/** Objects of a kind whose versions a webhook converts into each other. */
export const customConversion: Area = {
  name: 'custom-conversion',
  prepare: withConversionHook,
  scenarios: [
    {
      title: 'one object in two versions',
      steps: [
        watch('crd', events),
        post(crds, definition),
        collect('crd', 3),
        post(v1, thing('v1', 'a', { host: 'h', replicas: 1 }), { save: { a: '' } }),
        get(`${v2}/a`, { save: { second: '' } }),
        post(v2, thing('v2', 'b', { address: 'x:1' })),
        get(`${v1}/b`),
        put(`${v2}/a`, { spec: { address: 'h:81' } }, { base: 'second' }),
        mergePatch(`${v2}/a`, { spec: { note: 'mine' } }),
        mergePatch(`${v2}/a`, { spec: { address: 5 } }),
        mergePatch(`${v2}/a/status`, { status: { ready: 2 } }),
        get(`${v1}/a`),
        get(`${v2}/a/scale`),
        mergePatch(`${v2}/a/scale`, { spec: { replicas: 3 } }),
        get(v2),
        get(`${v2}?fieldSelector=spec.address%3Dx%3A1`),
        get(`${v1}?fieldSelector=spec.host%3Dx`),
        get(v2, asTable),
        get(v2, asPartial),
        mergePatch(`${v2}/a`, { metadata: { finalizers: ['conv.example/hold'] } }),
        del(`${v2}/a`),
        mergePatch(`${v2}/a`, { metadata: { finalizers: null } }),
        del(v2),
        get(v1),
      ],
    },
    {
      title: 'watches',
      steps: [
        post(v1, thing('v1', 'a', { host: 'h' }), { ...wired, save: { rv: 'metadata.resourceVersion' } }),
        watch('w', `${v2}?watch=true&resourceVersion={rv}`),
        watch('s', `${v2}?watch=true&resourceVersion={rv}&fieldSelector=spec.address%3Dh%3A80`),
        post(v1, thing('v1', 'b', { host: 'h' })),
        mergePatch(`${v1}/a`, { spec: { port: 5 } }),
        mergePatch(`${v2}/a`, { spec: { address: 'h:80' } }),
        del(`${v1}/b`),
        collect('w', 4),
        collect('s', 3),
      ],
    },
    {
      title: 'who owns what',
      steps: [
        applyPatch(`${v1}/o?fieldManager=one`, thing('v1', 'o', { host: 'h', port: 1 })),
        applyPatch(`${v2}/o?fieldManager=two`, thing('v2', 'o', { note: 'n' })),
        applyPatch(`${v2}/o?fieldManager=two`, thing('v2', 'o', { address: 'i:2' })),
        mergePatch(`${v1}/o?fieldManager=three`, { spec: { replicas: 2 } }),
        del(`${v1}/o`),
      ],
    },
    {
      title: 'answers that are wrong',
      steps: oddities.flatMap((name) => [
        post(v1, thing('v1', name, { host: 'h' }, { do: name })),
        get(`${v2}/${name}`),
        post(v2, thing('v2', `${name}-2`, { address: 'x:1' }, { do: name })),
        del(`${v1}/${name}`),
      ]),
    },
  ],
};
