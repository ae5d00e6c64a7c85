import type { DynamicObject, Status } from '@coxswain/k8s';
import type { Method } from '@coxswain/runtime/client';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../storage/index.ts';
import type { Storage } from '../../storage/types.ts';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import { createApiServer } from '../server.ts';
import { installCrds } from './index.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const mergePatch = 'application/merge-patch+json';
const place = 'spec.validation.openAPIV3Schema';

type Rules = readonly object[];

interface RuleSets {
  readonly spec?: Rules;
  readonly name?: Rules;
  readonly status?: Rules;
}

function schemaWith({ spec, name, status }: RuleSets): object {
  const rules = (list: Rules | undefined) => (list ? { 'x-kubernetes-validations': list } : {});
  const size = { type: 'integer', format: 'int32' };
  return {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        ...rules(spec),
        required: ['size'],
        properties: { size, max: size, name: { type: 'string', maxLength: 20, ...rules(name) } },
      },
      status: { type: 'object', ...rules(status), properties: { ready: size, phase: { type: 'string' } } },
    },
  };
}

function version(name: string, storage: boolean, schema: object): object {
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' };
  const subresources = { status: {}, scale };
  return { name, served: true, storage, schema: { openAPIV3Schema: schema }, subresources };
}

function definition(...versions: readonly object[]): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions,
    },
  };
}

const withRules = (rules: RuleSets) => definition(version('v1', true, schemaWith(rules)));

const widget = (spec: object, metadata: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', ...metadata },
  spec,
});

const noWebhooks = () => Promise.reject(new Error('there are no webhooks'));

async function serve(storage?: Storage) {
  const clock = new VirtualClock();
  const store = storage ?? (await openStorage({ clock, log: silentLogger, fsync: 'off' }));
  const registry = createRegistry(builtinResources());
  const crds = installCrds({ registry, storage: store, clock, random: seededRandom(1), call: noWebhooks });
  const server = createApiServer({ storage: store, registry, clock, random: seededRandom(1), log: silentLogger });
  async function ask(method: Method, path: string, body?: unknown, contentType?: string, query?: object) {
    const response = await server.handle({
      method,
      path,
      user: { name: 'admin', groups: [] },
      query: { ...query },
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    });
    if (response.kind !== 'object') throw new Error('an object was asked for');
    return { code: response.code, body: response.body as DynamicObject, warnings: response.warnings ?? [] };
  }
  /** What is refused, and why: `reason|field|message` of each cause. */
  async function refused(...request: Parameters<typeof ask>) {
    const { code, body } = await ask(...request);
    const { causes = [] } = (body as unknown as Status).details ?? {};
    return { code, causes: causes.map(({ reason, field, message }) => `${reason}|${field}|${message}`) };
  }
  return { ask, refused, storage: store, crds };
}

async function serveWith(rules: RuleSets) {
  const api = await serve();
  expect((await api.ask('POST', definitions, withRules(rules))).code).toBe(201);
  return api;
}

const fits = { rule: '!has(self.max) || self.size <= self.max' };

test('a new object keeps the rules: text, messageExpression, reason and fieldPath', async () => {
  const { ask, refused } = await serveWith({
    spec: [
      { ...fits, messageExpression: '"%d is more than %d".format([self.size, self.max])', fieldPath: '.size' },
      { rule: 'self.size < 100', reason: 'FieldValueForbidden', message: 'too much' },
    ],
    name: [{ rule: "self.startsWith('w-')" }],
  });
  expect((await ask('POST', widgets, widget({ size: 2, max: 2, name: 'w-1' }))).code).toBe(201);
  expect(await refused('POST', widgets, widget({ size: 200, max: 3, name: 'x' }, { name: 'b' }))).toEqual({
    code: 422,
    causes: [
      'FieldValueInvalid|spec.size|Invalid value: 200 is more than 3',
      'FieldValueForbidden|spec|Forbidden: too much',
      `FieldValueInvalid|spec.name|Invalid value: "x": failed rule: self.startsWith('w-')`,
    ],
  });
});

test('an object that misses its schema is told that the rules were not looked at', async () => {
  const { refused } = await serveWith({ spec: [fits] });
  expect(await refused('POST', widgets, widget({ max: 1 }))).toEqual({
    code: 422,
    causes: [
      'FieldValueRequired|spec.size|Required value',
      'FieldValueInvalid|<nil>|Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ],
  });
});

test('transition rules see the stored object: PUT, PATCH, apply and scale', async () => {
  const { ask, refused } = await serveWith({
    spec: [{ rule: 'self.size >= oldSelf.size', message: 'must not shrink' }],
  });
  const made = await ask('POST', widgets, widget({ size: 5 }));
  const { resourceVersion } = made.body.metadata;
  const expected = { code: 422, causes: ['FieldValueInvalid|spec|Invalid value: must not shrink'] };
  const path = `${widgets}/a`;
  expect(await refused('PUT', path, widget({ size: 4 }, { resourceVersion }))).toEqual(expected);
  expect(await refused('PATCH', path, { spec: { size: 4 } }, mergePatch)).toEqual(expected);
  const apply = { fieldManager: 'me', force: 'true' };
  const applied = widget({ size: 4 });
  expect(await refused('PATCH', path, applied, 'application/apply-patch+yaml', apply)).toEqual(expected);
  expect(await refused('PATCH', `${path}/scale`, { spec: { replicas: 4 } }, mergePatch)).toEqual(expected);
  expect((await ask('PATCH', `${path}/scale`, { spec: { replicas: 6 } }, mergePatch)).code).toBe(200);
  expect((await ask('GET', path)).body.spec).toEqual({ size: 6 });
});

test('the status subresource keeps the rules of the status', async () => {
  const { ask, refused } = await serveWith({ status: [{ rule: "self.phase != 'Broken'", fieldPath: '.phase' }] });
  await ask('POST', widgets, widget({ size: 1 }));
  const path = `${widgets}/a/status`;
  expect((await ask('PATCH', path, { status: { phase: 'Fine' } }, mergePatch)).code).toBe(200);
  expect(await refused('PATCH', path, { status: { phase: 'Broken' } }, mergePatch)).toEqual({
    code: 422,
    causes: [`FieldValueInvalid|status.phase|Invalid value: failed rule: self.phase != 'Broken'`],
  });
});

test('what an update leaves as it was is warned of, not refused', async () => {
  const { ask, refused } = await serve();
  await ask('POST', definitions, withRules({}));
  await ask('POST', widgets, widget({ size: 1, name: 'old' }));
  const rules = [{ rule: "self.startsWith('w-')", message: 'must start with w-' }];
  const schema = schemaWith({ name: rules });
  const patch = { spec: { versions: [version('v1', true, schema)] } };
  expect((await ask('PATCH', `${definitions}/widgets.example.com`, patch, mergePatch)).code).toBe(200);
  const grown = await ask('PATCH', `${widgets}/a`, { spec: { size: 2 } }, mergePatch);
  expect(grown).toMatchObject({
    code: 200,
    warnings: ['spec.name: Invalid value: "old": must start with w-'],
  });
  expect(await refused('PATCH', `${widgets}/a`, { spec: { name: 'new' } }, mergePatch)).toEqual({
    code: 422,
    causes: ['FieldValueInvalid|spec.name|Invalid value: "new": must start with w-'],
  });
});

test('a definition whose rules do not compile is refused', async () => {
  const { refused } = await serve();
  const { code, causes } = await refused('POST', definitions, withRules({ spec: [{ rule: 'self.sise > 1' }] }));
  expect(code).toBe(422);
  expect(causes).toHaveLength(1);
  expect(causes[0]).toContain(`FieldValueInvalid|${place}.properties[spec].x-kubernetes-validations[0].rule|`);
  expect(causes[0]).toContain(`compilation failed: ERROR: <input>:1:5: undefined field 'sise'`);
});

test.each([[{ rule: ' ' }], [{}]])(
  'the form of a rule %j is reported once, beside what others are refused for',
  async (rule) => {
    const { refused } = await serve();
    const rules = { spec: [rule], name: [{ rule: 'self' }] };
    const { causes } = await refused('POST', definitions, withRules(rules));
    expect(causes).toEqual([
      `FieldValueRequired|${place}.properties[spec].x-kubernetes-validations[0].rule|Required value: rule is not specified`,
      `FieldValueInvalid|${place}.properties[spec].properties[name].x-kubernetes-validations[0].rule|Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool`,
    ]);
  },
);

test('a definition whose rules can cost too much is refused', async () => {
  const { refused } = await serve();
  const items = { type: 'string' };
  const rule = 'self.all(a, self.all(b, self.all(c, a == b || b == c)))';
  const list = { type: 'array', items, 'x-kubernetes-validations': [{ rule }] };
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { list } } } };
  const { code, causes } = await refused('POST', definitions, definition(version('v1', true, schema)));
  expect(code).toBe(422);
  expect(causes[0]).toBe(
    `FieldValueForbidden|${place}.properties[spec].properties[list].x-kubernetes-validations[0].rule|Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
  );
});

test('versions that differ are named one by one, and only those that changed are judged', async () => {
  const { ask, refused } = await serve();
  const bad = schemaWith({ spec: [{ rule: 'self.nothing' }] });
  const both = [version('v1', true, schemaWith({ spec: [fits] })), version('v2', false, bad)];
  const { causes } = await refused('POST', definitions, definition(...both));
  expect(causes).toHaveLength(1);
  expect(causes[0]).toContain('|spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]');
  expect((await ask('POST', definitions, withRules({ spec: [fits] }))).code).toBe(201);
  const update = await refused('PATCH', `${definitions}/widgets.example.com`, { spec: { versions: both } }, mergePatch);
  expect(update.causes).toEqual(causes);
});

test('a definition that is stored stays served, whatever its rules; labels can be changed', async () => {
  const { ask, storage } = await serveWith({ spec: [fits] });
  const key = {
    resource: 'apiextensions.k8s.io/customresourcedefinitions',
    namespace: '',
    name: 'widgets.example.com',
  };
  const stored = storage.get(key) as DynamicObject;
  const spec = (withRules({ spec: [{ rule: 'self.nothing' }] }) as { spec: object }).spec;
  storage.put(key, { ...stored, spec: { ...(stored.spec as object), ...spec } } as DynamicObject);
  const path = `${definitions}/widgets.example.com`;
  expect((await ask('PATCH', path, { metadata: { labels: { a: 'b' } } }, mergePatch)).code).toBe(200);
});

test('a restart keeps the rules', async () => {
  const first = await serveWith({ spec: [fits] });
  first.crds.cancel();
  const { refused, ask } = await serve(first.storage);
  expect(await refused('POST', widgets, widget({ size: 3, max: 2 }))).toEqual({
    code: 422,
    causes: ['FieldValueInvalid|spec|Invalid value: failed rule: !has(self.max) || self.size <= self.max'],
  });
  expect((await ask('POST', widgets, widget({ size: 1, max: 2 }))).code).toBe(201);
});
