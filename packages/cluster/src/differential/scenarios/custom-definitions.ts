import { collect, del, get, group, mergePatch, post, watch } from '../build.ts';
import type { Area } from '../types.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const events = (name: string) => `${crds}?watch=true&fieldSelector=metadata.name%3D${name}.q.example`;

type Fields = Readonly<Record<string, unknown>>;

const version = (name: string, schema: Fields = {}, more: Fields = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', ...schema } },
  ...more,
});

function crd(plural: string, spec: Fields = {}, versions: readonly object[] = [version('v1')], metadata: Fields = {}) {
  const names = { plural, kind: `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.q.example`, ...metadata },
    spec: { group: 'q.example', scope: 'Namespaced', names, versions, ...spec },
  };
}

/** Nothing is stored. */
const tried = (spec: Fields, versions?: readonly object[]) => post(`${crds}?dryRun=All`, crd('gads', spec, versions));
const triedVersion = (schema: Fields, more: Fields) => tried({}, [version('v1', schema, more)]);

const reviewed = { conversionReviewVersions: ['v1'] };
const converting = (webhook: Fields) => tried({ conversion: { strategy: 'Webhook', webhook } });
const client = (clientConfig: Fields) => converting({ ...reviewed, clientConfig });
const url = { clientConfig: { url: 'https://a.example' } };
const noPem = 'bm9uZQ==';

const spec = (properties: Fields) => ({ properties: { spec: { type: 'object', properties } } });
const text = { type: 'string' };
const letters = [...'abcdefghi'];
const paths = (...all: readonly string[]) => ({ selectableFields: all.map((jsonPath) => ({ jsonPath })) });

/** The rules of definitions, word by word, and how they live beside each other. */
export const customDefinitions: Area = {
  name: 'custom-definitions',
  scenarios: [
    {
      title: 'conversion',
      steps: [
        converting(reviewed),
        client({}),
        client({ url: 'http://a.example/c' }),
        client({ url: 'https://a.example/c?x=y' }),
        client({ url: 'https://u:p@a.example/c#f' }),
        client({ url: 'https://a.example', service: { name: 'a', namespace: 'b' } }),
        client({ service: { name: 'a' } }),
        client({ service: { namespace: 'a' } }),
        client({ service: { name: 'a', namespace: 'b', path: 'x', port: 70000 } }),
        client({ service: { name: 'a', namespace: 'b', path: '/x//y' } }),
        converting(url),
        converting({ ...url, conversionReviewVersions: [] }),
        converting({ ...url, conversionReviewVersions: ['v2'] }),
        converting({ ...url, conversionReviewVersions: ['v1', 'v1', 'V%'] }),
        tried({ conversion: { strategy: 'Magic' } }),
        tried({ conversion: {} }),
        tried({ conversion: { strategy: 'None', webhook: { ...url, ...reviewed } } }),
        client({ url: 'https://a.example', caBundle: noPem }),
      ],
    },
    {
      title: 'versions',
      steps: [
        tried({}, []),
        tried({}, [version('v1'), version('v1')]),
        tried({}, [version('v1'), version('v2', {}, { storage: true })]),
        tried({}, [
          version('v1', {
            properties: { a: { ...text, enum: ['a'] }, b: { type: 'array', items: text, maxItems: 3 } },
          }),
          version(
            'v2',
            { properties: { c: { type: 'object', additionalProperties: { type: 'number', maximum: 5 } } } },
            { storage: true, deprecated: true, deprecationWarning: 'go away' },
          ),
        ]),
        triedVersion({}, { deprecationWarning: 'x' }),
        triedVersion({}, { deprecated: true, deprecationWarning: '' }),
        triedVersion({}, { deprecated: true, deprecationWarning: 'x'.repeat(257) }),
        triedVersion({}, { deprecated: true, deprecationWarning: 'a\nb' }),
        triedVersion(
          spec({ a: text, o: { type: 'object' } }),
          paths(
            '',
            '.spec.no',
            'spec',
            '.metadata.name',
            '.spec',
            ".spec['a']",
            '.spec.a',
            '.spec.a',
            '.spec.',
            '.spec.o',
          ),
        ),
        triedVersion(
          spec(Object.fromEntries(letters.map((name) => [name, text]))),
          paths(...letters.map((name) => `.spec.${name}`)),
        ),
        triedVersion({}, { selectableFields: [{ jsonPath: '.x' }, {}] }),
        triedVersion({}, { additionalPrinterColumns: [{}] }),
        triedVersion({}, { additionalPrinterColumns: [{ name: 'a', type: 'string', format: 'odd', jsonPath: 'x' }] }),
        triedVersion(
          {},
          {
            subresources: {
              status: {},
              scale: { specReplicasPath: '.status.x', statusReplicasPath: '.x', labelSelectorPath: '.metadata.x' },
            },
          },
        ),
        triedVersion({}, { subresources: { scale: { specReplicasPath: '.spec[0].x', labelSelectorPath: 'x' } } }),
      ],
    },
    {
      title: 'names',
      steps: [
        tried({ preserveUnknownFields: true }),
        tried({
          names: { plural: 'gads', kind: 'Gad', listKind: 'Gad', shortNames: ['A', 'b'], categories: ['All!'] },
        }),
        tried({ names: {} }),
        tried({ group: 'nodot' }),
        tried({ group: '' }),
        tried({ scope: '' }),
      ],
    },
    {
      title: 'warnings',
      steps: [
        watch('crd', events('warned')),
        post(
          crds,
          crd('warned', {}, [
            version('v1', {
              properties: {
                a: { ...text, format: 'quantity' },
                b: { ...text, format: 'date' },
                s: {
                  type: 'array',
                  'x-kubernetes-list-type': 'set',
                  items: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
                },
                t: {
                  type: 'array',
                  'x-kubernetes-list-type': 'set',
                  items: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: text },
                },
              },
            }),
          ]),
        ),
        collect('crd', 3),
        mergePatch(`${crds}/warned.q.example`, { metadata: { labels: { a: 'b' } } }),
        mergePatch(`${crds}/warned.q.example`, {
          spec: {
            versions: [
              version('v1', {
                properties: { a: { ...text, format: 'quantity' }, n: { type: 'number', format: 'int64' } },
              }),
            ],
          },
        }),
        mergePatch(`${crds}/warned.q.example`, {
          spec: {
            conversion: {
              strategy: 'Webhook',
              webhook: { ...reviewed, clientConfig: { url: 'https://a.example', caBundle: noPem } },
            },
          },
        }),
      ],
    },
    {
      title: 'stored versions',
      steps: [
        watch('crd', events('stored')),
        post(crds, crd('stored', {}, [version('v1'), version('v2')])),
        collect('crd', 3),
        mergePatch(`${crds}/stored.q.example`, {
          spec: { versions: [version('v1', {}, { storage: false }), version('v2', {}, { storage: true })] },
        }),
        mergePatch(`${crds}/stored.q.example`, { spec: { versions: [version('v2', {}, { storage: true })] } }),
        mergePatch(`${crds}/stored.q.example/status`, { status: { storedVersions: ['v2'] } }),
        mergePatch(`${crds}/stored.q.example`, { spec: { versions: [version('v2', {}, { storage: true })] } }),
        mergePatch(`${crds}/stored.q.example/status`, { status: { storedVersions: [] } }),
        mergePatch(`${crds}/stored.q.example/status`, { status: { storedVersions: ['v1'] } }),
        mergePatch(`${crds}/stored.q.example`, { metadata: { labels: { x: 'y' } } }),
        mergePatch(`${crds}/stored.q.example/status`, { status: { acceptedNames: { plural: 'X!' } } }),
        del(`${crds}/stored.q.example`, { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'x' } }),
        del(`${crds}/stored.q.example`, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground' }),
      ],
    },
    {
      title: 'names that are taken',
      steps: [
        watch('first', events('firsts')),
        post(
          crds,
          crd('firsts', { names: { plural: 'firsts', kind: 'First', singular: 'one', shortNames: ['f', 'g'] } }),
        ),
        collect('first', 3),
        watch('second', events('seconds')),
        post(
          crds,
          crd('seconds', {
            names: {
              plural: 'seconds',
              kind: 'Second',
              singular: 'firsts',
              shortNames: ['g', 'f'],
              listKind: 'FirstList',
            },
          }),
        ),
        collect('second', 2),
        get(group('q.example/v1', 'seconds')),
        watch('freed', events('seconds')),
        del(`${crds}/firsts.q.example`),
        collect('freed', 3),
        get('/apis/q.example/v1'),
        watch('never', events('thirds')),
        post(crds, crd('thirds', { names: { plural: 'thirds', kind: 'Second' } })),
        del(`${crds}/thirds.q.example`),
      ],
    },
    {
      title: 'approval',
      steps: ['https://example.com/approved', 'unapproved, for a test', 'whatever', ''].map((value) =>
        post(`${crds}?dryRun=All`, {
          ...crd('gads', { group: 'x.k8s.io' }),
          metadata: { name: 'gads.x.k8s.io', annotations: { 'api-approved.kubernetes.io': value } },
        }),
      ),
    },
  ],
};
