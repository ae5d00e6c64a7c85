import type { Status } from '@coxswain/k8s';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  configMap,
  configMaps,
  createTestApi,
  deployment,
  deployments,
  leases,
  type TestApi,
  widget,
  widgets,
} from './test-api.ts';

const merge = 'application/merge-patch+json';
const json = 'application/json-patch+json';
const apply = 'application/apply-patch+yaml';

/** `spec/embedded.md` §1.4, row by row. */
describe('errors', () => {
  let api: TestApi;
  let uid: string;

  beforeEach(async () => {
    api = await createTestApi();
    const { metadata } = await api.ok('POST', configMaps, { body: configMap('a', { x: '1' }) });
    uid = metadata.uid ?? '';
  });

  const post = (body: unknown, query = {}, path = configMaps): Promise<Status> =>
    api.fails('POST', path, { body, query });
  const put = (body: unknown, query = {}, path = `${configMaps}/a`): Promise<Status> =>
    api.fails('PUT', path, { body, query });
  const patch = (body: unknown, contentType = merge, query = {}, path = `${configMaps}/a`): Promise<Status> =>
    api.fails('PATCH', path, { body, contentType, query });
  const list = (query: Record<string, string>): Promise<Status> => api.fails('GET', configMaps, { query });

  it('create: what exists is 409', async () => {
    expect(await post(configMap('a'))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "a" already exists',
      reason: 'AlreadyExists',
      details: { name: 'a', kind: 'configmaps' },
      code: 409,
    });
  });

  it('create: a resourceVersion is 500 without a reason', async () => {
    const status = await post(configMap('b', {}, { resourceVersion: '1' }));
    expect(status).toMatchObject({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
    expect(status).not.toHaveProperty('reason');
  });

  it('create: another namespace is 400', async () => {
    expect(await post(configMap('b', {}, { namespace: 'other' }))).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  it('create: no name, a bad name and bad metadata are 422 with causes', async () => {
    expect(await post({ metadata: {} })).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      details: { kind: 'ConfigMap', causes: [{ reason: 'FieldValueRequired', field: 'metadata.name' }] },
    });
    const bad = await post(configMap('Not_Good'));
    expect(bad.message).toContain(
      'ConfigMap "Not_Good" is invalid: metadata.name: Invalid value: "Not_Good": a lowercase RFC 1123 subdomain must consist of',
    );
    const meta = await post(
      configMap(
        'b',
        {},
        {
          labels: { 'a b': 'x', ok: '-' },
          annotations: { 'x//y': '' },
          finalizers: ['no spaces please'],
          ownerReferences: [
            { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true },
            { apiVersion: 'v1', kind: 'Pod', name: 'q', uid: 'v', controller: true },
            { apiVersion: '', kind: '', name: '', uid: '' },
          ],
        },
      ),
    );
    expect(new Set(meta.details?.causes?.map((cause) => cause.field))).toEqual(
      new Set([
        'metadata.labels',
        'metadata.annotations',
        'metadata.finalizers',
        'metadata.finalizers[0]',
        'metadata.ownerReferences',
        'metadata.ownerReferences[2].apiVersion',
        'metadata.ownerReferences[2].kind',
        'metadata.ownerReferences[2].name',
        'metadata.ownerReferences[2].uid',
      ]),
    );
    expect(api.storage.revision).toBe(2);
  });

  it('put: a stale version or another uid is 409', async () => {
    expect(await put(configMap('a', {}, { resourceVersion: '1' }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
    const other = await put(configMap('a', {}, { uid: 'other' }));
    expect(other).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(other.message).toContain(`Precondition failed: UID in precondition: other, UID in object meta: ${uid}`);
  });

  it('put: without a version is allowed, or 422 for kinds that want one', async () => {
    await api.ok('PUT', `${configMaps}/a`, { body: configMap('a', { x: '2' }) });
    await api.ok('POST', widgets, { body: widget('w', { size: 1 }) });
    expect(await put(widget('w', { size: 2 }), {}, `${widgets}/w`)).toMatchObject({
      code: 422,
      details: {
        causes: [{ field: 'metadata.resourceVersion', message: 'Invalid value: 0: must be specified for an update' }],
      },
    });
  });

  it('put: another name is 400, a missing object 404, or 201 for kinds that are created so', async () => {
    expect(await put(configMap('b'))).toMatchObject({
      code: 400,
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
    expect((await put({ metadata: {} })).message).toContain('name must be provided');
    expect((await put(configMap('a', {}, { namespace: 'b' }))).message).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
    expect((await put(configMap('c'), {}, `${configMaps}/c`)).code).toBe(404);
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} };
    expect((await api.ask('PUT', `${leases}/l`, { body: lease })).code).toBe(201);
    const gone = { ...lease, metadata: { name: 'm', uid: 'gone' } };
    expect((await put(gone, {}, `${leases}/m`)).code).toBe(409);
  });

  it('delete: preconditions that fail are 409', async () => {
    const remove = (preconditions: object) => api.fails('DELETE', `${configMaps}/a`, { body: { preconditions } });
    expect(await remove({ uid: 'other' })).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    });
    expect((await remove({ resourceVersion: '1' })).message).toContain(
      'the ResourceVersion in the precondition (1) does not match',
    );
  });

  it('delete: both policies, or an unknown one, are 422', async () => {
    const remove = (body: object) => api.fails('DELETE', `${configMaps}/a`, { body });
    expect(await remove({ propagationPolicy: 'Orphan', orphanDependents: true })).toMatchObject({
      code: 422,
      details: { group: 'meta.k8s.io', kind: 'DeleteOptions', causes: [{ field: 'propagationPolicy' }] },
    });
    expect((await remove({ propagationPolicy: 'Never' })).code).toBe(422);
    expect((await remove({ gracePeriodSeconds: 'soon' })).code).toBe(400);
    expect((await remove({ kind: 'Pod' })).code).toBe(400);
  });

  it('unknown fields: a warning by default, nothing with Ignore, 400 when strict', async () => {
    const body = { ...deployment('d', { replicas: 1, foo: 1 }), bar: {} };
    const { code, warnings } = await api.ask('POST', deployments, { body });
    expect([code, warnings]).toEqual([201, ['unknown field "bar"', 'unknown field "spec.foo"']]);
    expect((await api.ok('GET', `${deployments}/d`)).spec).toEqual({ replicas: 1 });
    const quiet = await api.ask('PUT', `${deployments}/d`, { body, query: { fieldValidation: 'Ignore' } });
    expect(quiet.warnings).toEqual([]);
    expect(await post({ ...body, metadata: { name: 'e' } }, { fieldValidation: 'Strict' }, deployments)).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "bar", unknown field "spec.foo"',
    });
    const repeated = await api.ask('POST', deployments, { body: deployment('f'), duplicates: ['spec.replicas'] });
    expect(repeated.warnings).toEqual(['duplicate field "spec.replicas"']);
    expect(
      (await patch({ spec: { foo: 1 } }, merge, { fieldValidation: 'Strict' }, `${deployments}/d`)).message,
    ).toContain('strict decoding error: unknown field "spec.foo"');
  });

  it('apply: no manager is 422, a conflict 409 with its fields, a uid on a missing object 409', async () => {
    expect(await patch(configMap('a'), apply)).toMatchObject({
      code: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    });
    const query = { fieldManager: 'me' };
    expect(await patch(configMap('a', { x: '2' }), apply, query)).toMatchObject({
      code: 409,
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.x' }] },
    });
    await api.ok('PATCH', `${configMaps}/a`, {
      body: configMap('a', { x: '2' }),
      contentType: apply,
      query: { ...query, force: 'true' },
    });
    expect((await patch(configMap('n', {}, { uid: 'u' }), apply, query, `${configMaps}/n`)).code).toBe(409);
    expect((await patch(configMap('b'), apply, query)).code).toBe(400);
    const unknown = await patch({ ...configMap('a'), foo: 1 }, apply, query);
    expect(unknown).toMatchObject({ code: 500 });
    expect(unknown.message).toContain('.foo: field not declared in schema');
  });

  it('options: force without apply, a bad dryRun, fieldValidation or match are 422 on the options kind', async () => {
    const of = (status: Status) => [
      status.code,
      status.details?.group,
      status.details?.kind,
      status.details?.causes?.[0]?.field,
    ];
    expect(of(await patch({}, merge, { force: 'true' }))).toEqual([422, 'meta.k8s.io', 'PatchOptions', 'force']);
    expect(of(await post(configMap('b'), { dryRun: 'Some' }))).toEqual([422, 'meta.k8s.io', 'CreateOptions', 'dryRun']);
    expect(of(await put(configMap('a'), { fieldValidation: 'Hard' }))).toEqual([
      422,
      'meta.k8s.io',
      'UpdateOptions',
      'fieldValidation',
    ]);
    expect(of(await list({ resourceVersion: '1', resourceVersionMatch: 'x' }))).toEqual([
      422,
      'meta.k8s.io',
      'ListOptions',
      'resourceVersionMatch',
    ]);
    expect(of(await put(configMap('a'), { fieldManager: 'x'.repeat(129) }))).toEqual([
      422,
      'meta.k8s.io',
      'UpdateOptions',
      'fieldManager',
    ]);
  });

  it('patch: a failed test is 422, a missing object 404, another name 400', async () => {
    expect(await patch([{ op: 'test', path: '/data/x', value: 'other' }], json)).toMatchObject({
      code: 422,
      reason: 'Invalid',
    });
    expect((await patch({}, merge, {}, `${configMaps}/b`)).code).toBe(404);
    expect((await patch({ metadata: { name: 'b' } })).code).toBe(400);
  });

  it('body: wrong kind, wrong version, not an object or wrong types are 400', async () => {
    for (const body of [
      { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'b' } },
      { kind: 'ConfigMap', apiVersion: 'v2', metadata: { name: 'b' } },
      [],
      'text',
      undefined,
      { metadata: [] },
      { metadata: { name: 3 } },
      { metadata: { name: 'b', labels: { n: 1 } } },
      { metadata: { name: 'b' }, data: { n: 1 } },
    ]) {
      expect(await post(body)).toMatchObject({ code: 400, reason: 'BadRequest' });
    }
    expect((await post(deployment('d', { replicas: 'x' }), {}, deployments)).message).toContain(
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into',
    );
    expect(await post({ metadata: { name: 'w' } }, {}, widgets)).toMatchObject({ code: 400 });
  });

  it('body: custom kinds answer 422 with causes for schema violations', async () => {
    expect(await post(widget('w', { size: 'x' }), {}, widgets)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: {
        group: 'example.com',
        kind: 'Widget',
        name: 'w',
        causes: [{ field: 'spec.size', reason: 'FieldValueTypeInvalid' }],
      },
    });
    expect((await post(widget('w', { size: 0 }), {}, widgets)).message).toContain(
      'Widget.example.com "w" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    );
  });

  it('list: a bad version, token, field or label selector is 400 each', async () => {
    const token = Buffer.from('{"v":"other","rv":1,"start":"x"}').toString('base64url');
    const queries: Record<string, string>[] = [
      { resourceVersion: 'x' },
      { continue: 'nonsense' },
      { continue: token },
      { fieldSelector: 'spec.unknown=1' },
      { fieldSelector: 'nothing' },
      { labelSelector: 'a in' },
      { labelSelector: 'a=b c' },
      { limit: 'many' },
      { timeout: 'soon' },
    ];
    for (const query of queries) {
      expect(await list(query)).toMatchObject({ code: 400, reason: 'BadRequest' });
    }
    expect((await list({ fieldSelector: 'spec.unknown=1' })).message).toContain(
      '"spec.unknown" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  it('watch: a bad version is 500', async () => {
    const status = await list({ watch: 'true', resourceVersion: 'x' });
    expect(status.code).toBe(500);
    expect(status).not.toHaveProperty('reason');
  });

  it('reads above the current version are 504 after three seconds', async () => {
    const matches: Record<string, string>[] = [
      {},
      { resourceVersionMatch: 'NotOlderThan' },
      { resourceVersionMatch: 'Exact' },
    ];
    for (const match of matches) {
      const status = list({ ...match, resourceVersion: '99' });
      await api.clock.advance(3_000);
      expect(await status).toMatchObject({ code: 504, reason: 'Timeout', details: { retryAfterSeconds: 1 } });
    }
  });
});
