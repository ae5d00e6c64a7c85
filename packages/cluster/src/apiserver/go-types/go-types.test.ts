import { expect, test } from 'vitest';
import { parseLiterally } from '../request/json-number.ts';
import { definitionOf, isRegistered, marshal, restoreFault, settled, settleNulls } from './index.ts';

const configMap = 'io.k8s.api.core.v1.ConfigMap';
const pod = 'io.k8s.api.core.v1.Pod';
const crd = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';

test('Go writes the fields of structs in their order, all others by name', () => {
  const metadata = { uid: 'u', labels: { z: '<', a: '&' }, name: 'n' };
  const object = { metadata, data: { b: '1', a: '2' }, kind: 'ConfigMap', apiVersion: 'v1', odd: 9007199254740993n };
  expect(marshal(object, configMap)).toBe(
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"n","uid":"u","labels":{"a":"\\u0026","z":"\\u003c"}},"data":{"a":"2","b":"1"},"odd":9007199254740993}',
  );
  // What a patch has taken apart is a map.
  expect(marshal(object, configMap, (part) => part === object)).toMatch(
    /^\{"apiVersion":"v1","data":.*"metadata":\{"name"/,
  );
  expect(marshal({ b: [{ d: 1, c: null }], a: undefined })).toBe('{"b":[{"c":null,"d":1}]}');
});

test('after a strategic patch the converter has words of its own', () => {
  expect(restoreFault(configMap, { data: { x: 5 } })).toBe('cannot convert int64 to string');
  expect(restoreFault(configMap, { data: { x: 5.5 } })).toBe('unrecognized type: string');
  expect(restoreFault(configMap, { data: { x: {} } })).toBe('unrecognized type: string');
  expect(restoreFault(configMap, { data: [] })).toBe('cannot restore map from slice');
  expect(restoreFault(configMap, { metadata: 5 })).toBe('cannot restore struct from: int64');
  expect(restoreFault(configMap, { metadata: { finalizers: 'x' } })).toBe('cannot restore slice from string');
  expect(restoreFault(configMap, { binaryData: { a: '!' } })).toBe(
    'error decoding from json: illegal base64 data at input byte 0',
  );
  // types that read themselves take what they are for
  const properties = { a: { default: { x: 1 }, additionalProperties: false, items: { type: 'string' }, enum: [{}] } };
  const spec = { versions: [{ schema: { openAPIV3Schema: { type: 'object', properties } } }] };
  expect(restoreFault(crd, { spec })).toBeUndefined();
  expect(restoreFault(pod, { metadata: { creationTimestamp: {} } })).toBe(
    'json: cannot unmarshal object into Go value of type string',
  );
  expect(restoreFault(pod, { spec: { terminationGracePeriodSeconds: 30 } })).toBeUndefined();
  expect(restoreFault(pod, { spec: { terminationGracePeriodSeconds: 1.5 } })).toBe('cannot convert float64 to int64');
});

test('a quantity keeps its digits, other numbers their value', () => {
  const text =
    '{"spec":{"containers":[{"resources":{"limits":{"cpu":1e3,"memory":12345678901234567890}}}],"priority":1e1}}';
  expect(settled(pod, parseLiterally(text))).toEqual({
    spec: { containers: [{ resources: { limits: { cpu: '1e3', memory: '12345678901234567890' } } }], priority: 10 },
  });
});

test('null is no value for a field, and the zero value for what must have one', () => {
  const object = { metadata: null, data: { a: null, b: '1' }, binaryData: { c: null }, immutable: null };
  settleNulls(configMap, object);
  expect(object).toEqual({ data: { a: '', b: '1' }, binaryData: { c: '' } });
  const spec = {
    containers: [null, { args: [null, 'x'], env: null }],
    nodeSelector: { a: null },
    overhead: { cpu: null },
  };
  settleNulls(pod, { spec });
  expect(spec).toEqual({ containers: [{}, { args: ['', 'x'] }], nodeSelector: { a: '' }, overhead: { cpu: '0' } });
});

test('kinds of versions that are not served any more are known as well', () => {
  expect(isRegistered('apps/v1beta1', 'Deployment')).toBe(true);
  expect(isRegistered('v1', 'DeleteOptions')).toBe(true);
  expect(isRegistered('apps/v1', 'ConfigMap')).toBe(false);
  expect(isRegistered('example.com/v1', 'DeleteOptions')).toBe(false);
  expect(definitionOf('apps/v1', 'Deployment')).toBe('io.k8s.api.apps.v1.Deployment');
  expect(definitionOf('example.com/v1', 'Thing')).toBeUndefined();
});
