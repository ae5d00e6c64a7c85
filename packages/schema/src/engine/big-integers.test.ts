import { expect, it } from 'vitest';
import { evaluateRules } from '../cel/index.ts';
import { compileSchema, type SchemaNode } from '../index.ts';

/** Whole numbers beyond 2^53 are given as `bigint`; an int64 keeps all its digits. */
const most = 2n ** 63n - 1n;
const integer: SchemaNode = { type: 'integer' };
const lines = (node: SchemaNode, value: unknown) =>
  compileSchema({ type: 'object', properties: { n: node } })
    .validate({ n: value })
    .map(({ field, message }) => `${field}: ${message}`);

it('long integers are integers, up to 64 bits', () => {
  for (const node of [integer, { type: 'integer', format: 'int64' }, { type: 'number' }] as const) {
    expect(lines(node, most)).toEqual([]);
    expect(lines(node, -(2n ** 63n))).toEqual([]);
  }
  expect(lines({ 'x-kubernetes-int-or-string': true }, most)).toEqual([]);
  expect(lines(integer, 2n ** 63n)).toEqual([
    'n: Invalid value: "number": n in body must be of type integer: "number"',
    '<nil>: Invalid value: "": Checked value must be of type integer (default format) in n',
  ]);
  expect(lines({ type: 'number' }, 2n ** 63n)).toEqual([]);
  expect(lines({ type: 'string' }, most)).toEqual([
    'n: Invalid value: "integer": n in body must be of type string: "integer"',
  ]);
});

it('bounds are compared exactly, and what is refused is shown with all digits', () => {
  expect(lines({ type: 'integer', maximum: 2 ** 53 }, 2n ** 53n + 1n)).toEqual([
    `n: Invalid value: ${2n ** 53n + 1n}: n in body should be less than or equal to ${2 ** 53}`,
  ]);
  expect(lines({ type: 'integer', minimum: (2n ** 60n) as unknown as number }, 2n ** 60n)).toEqual([]);
  expect(lines({ type: 'integer', multipleOf: 10 }, 10n ** 18n)).toEqual([]);
  expect(lines({ type: 'integer', multipleOf: 10 }, 10n ** 18n + 1n)).toEqual([
    'n: Invalid value: 1000000000000000001: n in body should be a multiple of 10',
  ]);
  expect(lines({ type: 'integer', format: 'int32' }, most)).toEqual([
    '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in n',
  ]);
});

it('doubles are shown as Go shows them', () => {
  const node = { type: 'number', minimum: 0.00001, maximum: 1000000 } as const;
  expect(lines(node, 1500000.5)).toEqual([
    'n: Invalid value: 1.5000005e+06: n in body should be less than or equal to 1e+06',
  ]);
  expect(lines(node, 2000000)).toEqual([
    'n: Invalid value: 2000000: n in body should be less than or equal to 1000000',
  ]);
  expect(lines(node, 123456789012345678901234567890n)).toEqual([
    'n: Invalid value: 1.2345678901234568e+29: n in body should be less than or equal to 1e+06',
  ]);
  expect(lines(node, 0.000001)).toEqual([
    'n: Invalid value: 1e-06: n in body should be greater than or equal to 1e-05',
  ]);
});

it('enums, sets and list maps tell neighbours apart', () => {
  const allowed = { type: 'integer', enum: [most as unknown as number] } as const;
  expect(lines(allowed, most)).toEqual([]);
  expect(lines(allowed, most - 1n)).toEqual([`n: Unsupported value: ${most - 1n}: supported values: "${most}"`]);
  const set: SchemaNode = { type: 'array', 'x-kubernetes-list-type': 'set', items: integer };
  expect(lines(set, [most, most - 1n])).toEqual([]);
  expect(lines(set, [most, most])).toEqual([`n[1]: Duplicate value: ${most}`]);
  const map: SchemaNode = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['id'],
    items: { type: 'object', required: ['id'], properties: { id: integer } },
  };
  expect(lines(map, [{ id: most }, { id: most - 1n }])).toEqual([]);
  expect(lines(map, [{ id: most }, { id: most }])).toEqual([`n[1]: Duplicate value: {"id":${most}}`]);
});

it('defaults, pruning and rules keep all digits', () => {
  const node: SchemaNode = {
    type: 'object',
    properties: {
      n: { type: 'integer', default: most as never },
      any: { 'x-kubernetes-preserve-unknown-fields': true },
    },
    'x-kubernetes-validations': [{ rule: 'self.n == 9223372036854775807', message: 'is the most' }],
  };
  const value: Record<string, unknown> = { any: { m: most }, gone: most };
  expect(compileSchema(node).prune(value, { resource: false })).toEqual(['gone']);
  compileSchema(node).applyDefaults(value);
  expect(value).toEqual({ n: most, any: { m: most } });
  expect(evaluateRules(node, value)).toEqual([]);
  expect(evaluateRules(node, { ...value, n: most - 1n }).map(({ message }) => message)).toEqual([
    'Invalid value: is the most',
  ]);
});
