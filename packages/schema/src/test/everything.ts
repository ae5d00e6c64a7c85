import { defineResource, s } from '../index.ts';

const pair = s.object({ name: s.string(), port: s.int32() }).atomic();
const optional = () => s.string().optional();
const range = s
  .object({ min: s.int32(), max: s.int32() })
  .rule('self.max >= self.min', { message: 'max is below min', reason: 'FieldValueForbidden', fieldPath: '.max' })
  .rule('!oldSelf.hasValue() ||\n  self.min == oldSelf.value().min', {
    messageExpression: "self.min > 9 ? 'min is fixed, and high' : 'min is fixed'",
    optionalOldSelf: true,
  });
const choice = s
  .object({ a: optional(), b: optional(), c: optional(), d: optional() })
  .atMostOneOf('c', 'd')
  .exactlyOneOf('a', 'b')
  .atLeastOneOf('a', 'c');

const spec = s
  .object({
    size: s.int32().exclusiveMin(0).exclusiveMax(10).multipleOf(2).default(2).example(4).describe('How many.'),
    big: s.int64(),
    path: s
      .string()
      .minLength(1)
      .maxLength(63)
      .pattern(/^[a-z]+(\/[a-z]+)*$/)
      .title('The path')
      .externalDocs('https://demo.dev/path', 'About paths'),
    link: s.string().format('uri').optional(),
    tags: s.set(s.string()).minItems(1).maxItems(8),
    ports: s.listMap(['name', 'port'], pair).optional(),
    args: s.list(s.string()).atomic().optional(),
    short: s.list(s.string().maxLength(5)).optional(),
    sizes: s.map(s.int32()).minProperties(1).maxProperties(16).atomic().optional(),
    labels: s.map(s.string()).granular().optional(),
    level: s.enum('INFO', 'WARN').describe('Level of a log.'),
    open: pair.preserveUnknown().optional(),
    any: s.any().optional(),
    template: s.embeddedResource().optional(),
    podMeta: s.objectMeta().optional(),
    amount: s.quantity().optional(),
    share: s.intOrString().optional(),
    every: s.duration().optional(),
    at: s.dateTime().optional(),
    maybe: s.boolean().nullable(),
    fixed: s.string().immutable().optional(),
    choice: choice.optional(),
    range: range.optional(),
  })
  .keepsOnceSet('fixed');

/** What `fixtures/everything.go.txt` says with every marker of controller-gen, in the words of the builder. */
export const Everything = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Everything',
  plural: 'everythings',
  shortNames: ['ev', 'evs'],
  categories: ['all', 'demo'],
  scope: 'Cluster',
  metadata: { annotations: { 'demo.dev/a': 'b' }, labels: { 'demo.dev/c': 'd' } },
  description: 'Everything there is.',
  deprecated: 'use another',
  spec,
  status: s.object({ size: s.int32().optional(), selector: s.string().optional() }),
  printColumns: [
    {
      name: 'Size',
      type: 'integer',
      jsonPath: '.spec.size',
      description: 'How many',
      format: 'int32',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['.spec.path'],
  subresources: {
    status: true,
    scale: {
      specReplicasPath: '.spec.size',
      statusReplicasPath: '.status.size',
      labelSelectorPath: '.status.selector',
    },
  },
});
