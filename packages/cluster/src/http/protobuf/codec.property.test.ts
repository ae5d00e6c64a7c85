import { type ProtobufField, protobufTable } from '@coxswain/k8s/protobuf';
import { deepFreeze } from '@coxswain/runtime/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeMessage, decodeObject, encodeMessage, encodeObject, ProtobufError } from './index.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 6 });
const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'a.b/c'));
const digits = (count: number, most: number) =>
  fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(count, '0'));
const instant = fc
  .date({ min: new Date('0002-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19));

const scalarValues: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: text,
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('base64')),
};

/** Values of the messages with a form of their own; `depth` counts down to those without inner messages. */
function formValue(form: string, depth: number): fc.Arbitrary<unknown> {
  const schema = () =>
    messageValue('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps', depth - 1);
  const json = fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null);
  switch (form) {
    case 'quantity':
      return fc.constantFrom('0', '100m', '1Gi', '-5', '1e3');
    case 'intOrString':
      return fc.oneof(fc.integer(), text);
    case 'time':
      return instant.map((at) => `${at}Z`);
    case 'microTime':
      return fc.tuple(instant, digits(6, 999_999)).map(([at, micros]) => `${at}.${micros}Z`);
    case 'strings':
      return fc.array(text, { maxLength: 3 });
    case 'schemaOrBool':
      return depth > 0 ? fc.oneof(fc.boolean(), schema()) : fc.boolean();
    case 'schemaOrArray':
      return fc.array(schema(), { minLength: 1, maxLength: 2 });
    case 'schemaOrStrings':
      return fc.array(text, { minLength: 1, maxLength: 2 });
    default:
      return json;
  }
}

function fieldValue(
  [, , type, flags]: ProtobufField,
  packageName: string,
  depth: number,
): fc.Arbitrary<unknown> | undefined {
  const scalar = scalarValues[type];
  if (!scalar && depth <= 0) return undefined;
  const value = scalar ?? messageValue(type.includes('.') ? type : `${packageName}.${type}`, depth - 1);
  if (flags.includes('m')) return fc.dictionary(key, value, { minKeys: 1, maxKeys: 2 });
  return flags.includes('r') ? fc.array(value, { minLength: 1, maxLength: 2 }) : value;
}

/** Any value of a message, with few of its fields set. */
function messageValue(name: string, depth: number): fc.Arbitrary<unknown> {
  const message = protobufTable().messages[name];
  if (typeof message === 'string') return formValue(message, depth);
  const packageName = name.slice(0, name.lastIndexOf('.'));
  const fields = (message ?? []).filter(([, , , flags]) => !flags.includes('i'));
  const chosen = fields.flatMap((field) => {
    const value = fieldValue(field, packageName, depth);
    return value ? [fc.tuple(fc.constant(field[0]), value)] : [];
  });
  if (chosen.length === 0) return fc.constant({});
  return fc
    .subarray(chosen, { maxLength: Math.min(4, chosen.length) })
    .chain((some) => fc.tuple(...some))
    .map((entries) => Object.fromEntries(entries));
}

const names = Object.keys(protobufTable().messages);
/** Go's Duration and Timestamp are never part of an object. */
const all = fc.constantFrom(...names.filter((name) => !/\.(Duration|Timestamp|Unknown)$/.test(name)));
const sample = all.chain((name) => fc.tuple(fc.constant(name), messageValue(name, 3)));

/** Fields that were not set are written with their zero values; so compare what was set. */
function expectWithin(given: unknown, found: unknown): void {
  if (Array.isArray(given)) {
    const list = Array.isArray(found) ? found : [];
    expect(list).toHaveLength(given.length);
    for (const [index, item] of given.entries()) expectWithin(item, list[index]);
  } else if (typeof given === 'object' && given !== null) {
    for (const [field, value] of Object.entries(given))
      expectWithin(value, Object.getOwnPropertyDescriptor(found ?? {}, field)?.value);
  } else expect(found ?? (given === null ? null : zeroOf(given))).toEqual(given);
}

const zeroOf = (value: unknown): unknown => (typeof value === 'string' ? '' : typeof value === 'number' ? 0 : false);

describe('round trip', () => {
  test('whatever a message holds comes back', () => {
    fc.assert(
      fc.property(sample, ([name, value]) => {
        const bytes = encodeMessage(name, value);
        const decoded = decodeMessage(name, bytes);
        expectWithin(value, decoded);
        expect(encodeMessage(name, decoded).equals(bytes)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test('fields of a newer version are passed over', () => {
    // 99: a varint, text, 8 bytes, 4 bytes, a group with a group in it.
    const unknown = Buffer.from('98060199060102030405060708aa0603616263ad0601020304', 'hex').toString('hex');
    const known = encodeMessage('io.k8s.api.core.v1.ConfigMap', { data: { a: 'b' } });
    const group = 'b306' + 'bb06' + '0801' + 'bc06' + 'b406';
    const extended = Buffer.concat([Buffer.from(group, 'hex'), known, Buffer.from(unknown, 'hex')]);
    expect(decodeMessage('io.k8s.api.core.v1.ConfigMap', extended)).toEqual({ metadata: {}, data: { a: 'b' } });
  });

  test('numbers may be packed, and parts of one message are merged', () => {
    const quota = 'io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement';
    const packed = Buffer.from('1a0401020304', 'hex');
    expect(decodeMessage(quota, packed)).toMatchObject({ values: [1, 2, 3, 4] });
    const one = encodeMessage('io.k8s.api.core.v1.ConfigMap', { metadata: { name: 'a' }, data: { x: '1' } });
    const two = encodeMessage('io.k8s.api.core.v1.ConfigMap', { metadata: { labels: { l: 'm' } }, data: { y: '2' } });
    // The second part says that the name is empty, as Go does: so it is.
    expect(decodeMessage('io.k8s.api.core.v1.ConfigMap', Buffer.concat([one, two]))).toEqual({
      metadata: { labels: { l: 'm' } },
      data: { x: '1', y: '2' },
    });
  });
});

describe('hostile bytes', () => {
  const refuse = (name: string, hex: string, message: RegExp | string) =>
    expect(() => decodeMessage(name, Buffer.from(hex, 'hex'))).toThrow(message);
  const pod = 'io.k8s.api.core.v1.Pod';
  const map = 'io.k8s.api.core.v1.ConfigMap';

  test('are refused with a reason', () => {
    refuse(map, '0a', 'unexpected EOF');
    refuse(map, '0affffffff7f', 'unexpected EOF');
    refuse(map, '0affffffffffffffffffff01', 'integer overflow');
    refuse(map, '0801', 'wrong wireType = 0 for field metadata');
    refuse(map, '0201', 'illegal tag 0');
    refuse(map, '9f06', 'illegal wireType 7');
    refuse(map, '9406', 'unexpected end of group');
    refuse(map, `${'9b06'.repeat(5000)}`, 'exceeded max depth');
    refuse(map, '0a040a02c328', 'invalid UTF-8');
    refuse('io.k8s.api.apps.v1.ControllerRevision', '12030a017b', /is not JSON/);
    refuse('io.k8s.api.core.v1.ServicePort', '22020803', 'impossible IntOrString.Type');
  });

  test('a message within a message within a message ends somewhere', () => {
    let bytes = Buffer.alloc(0);
    const schema = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    const length = (size: number): number[] => (size < 128 ? [size] : [(size & 127) | 128, ...length(size >> 7)]);
    for (let level = 0; level < 3000; level++)
      bytes = Buffer.concat([Buffer.from([0xe2, 1, ...length(bytes.length)]), bytes]);
    expect(() => decodeMessage(schema, bytes)).toThrow('exceeded max depth');
  });

  test('never fault, whatever they are', () => {
    const attempt = (name: string, bytes: Buffer) => {
      try {
        encodeMessage(name, decodeMessage(name, bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError);
      }
    };
    fc.assert(
      fc.property(all, fc.uint8Array({ maxLength: 60 }), (name, bytes) => attempt(name, Buffer.from(bytes))),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(sample, fc.nat(), fc.nat(255), ([name, value], at, byte) => {
        const bytes = encodeMessage(name, value);
        if (bytes.length === 0) return;
        bytes[at % bytes.length] = byte;
        attempt(name, bytes);
        attempt(name, bytes.subarray(0, at % bytes.length));
      }),
      { numRuns: 500 },
    );
    attempt(pod, Buffer.alloc(0));
  });

  test('an object without its envelope is refused', () => {
    for (const bytes of [
      Buffer.from('{}'),
      Buffer.from([0x6b, 0x38, 0x73, 0]),
      Buffer.from([0x6b, 0x38, 0x73, 0, 0x0a]),
    ])
      expect(() => decodeObject(bytes)).toThrow(ProtobufError);
    const custom = Buffer.from('6b3873000a0d0a06782e792f76311203466f6f', 'hex');
    expect(() => decodeObject(custom)).toThrow(/^Foo in version "v1" cannot be handled as a Foo: object/);
  });
});

test('a frozen object is encoded once, in lists too', () => {
  const item = deepFreeze({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } });
  const [whole] = encodeObject(item);
  expect(encodeObject(item)[0]).toBe(whole);
  const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '1' }, items: [item, item] };
  const shared = encodeObject(list).filter((part) => part.buffer === whole?.buffer && whole.includes(part));
  expect(shared.filter((part) => part.length > 20)).toHaveLength(2);
  expect(decodeObject(Buffer.concat(encodeObject(list)))).toMatchObject({
    items: [{ data: { x: '1' } }, { data: { x: '1' } }],
  });
});

test('wrong types in what is written do no harm', () => {
  fc.assert(
    fc.property(
      all,
      fc.dictionary(fc.constantFrom('metadata', 'spec', 'data', 'items', 'name'), fc.anything()),
      (name, value) => {
        expect(encodeMessage(name, value)).toBeInstanceOf(Buffer);
      },
    ),
  );
});
