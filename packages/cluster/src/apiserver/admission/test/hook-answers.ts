// biome-ignore lint/suspicious/noExplicitAny: reviews are read as a webhook would, without types
type Loose = any;

/** One call as it is recorded: without what differs from run to run. */
export interface Call {
  readonly path: string;
  readonly request: unknown;
}

function brief(object: Loose): unknown {
  // What is asked for when connecting has no metadata, and is little.
  if (!object?.metadata) return object;
  const { name, generateName, namespace, labels } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, generateName, namespace, labels };
}

export function callOf(path: string, { request }: Loose): Call {
  const { uid: _uid, userInfo, object, oldObject, ...rest } = request;
  const shown = { ...rest, user: userInfo.username, object: brief(object), oldObject: brief(oldObject) };
  return { path, request: JSON.parse(JSON.stringify(shown)) };
}

const patchOf = (operations: unknown) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

function addTo(request: Loose, map: 'labels' | 'annotations', key: string, value: string): object {
  const present = request.object?.metadata?.[map];
  const operation = present
    ? { op: 'add', path: `/metadata/${map}/${key}`, value }
    : { op: 'add', path: `/metadata/${map}`, value: { [key]: value } };
  return { allowed: true, ...patchOf([operation]) };
}

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'b8a62f10-0000-4000-8000-000000000000' };

/** What a webhook at a path makes of a review: the `response`, but for its uid. */
const responses: Readonly<Record<string, (request: Loose, argument: string) => object>> = {
  allow: () => ({ allowed: true }),
  deny: () => ({ allowed: false }),
  'deny-message': () => ({ allowed: false, status: { code: 403, reason: 'Forbidden', message: 'not today' } }),
  'deny-reason': () => ({ allowed: false, status: { reason: 'BecauseISaySo' } }),
  'deny-low': () => ({ allowed: false, status: { status: 'Success', code: 200, message: 'odd' } }),
  'deny-details': () => ({
    allowed: false,
    status: {
      code: 422,
      reason: 'Invalid',
      message: 'no',
      details: { kind: 'X', causes: [{ field: 'a', message: 'b', reason: 'FieldValueInvalid' }] },
    },
  }),
  warn: () => ({ allowed: true, warnings: ['first', 'second'] }),
  label: (request, name) => addTo(request, 'labels', name, 'true'),
  trace: (request, name) =>
    addTo(request, 'annotations', 'trace', `${request.object.metadata.annotations?.trace ?? ''}${name}`),
  'no-change': (request) => ({
    allowed: true,
    ...patchOf([{ op: 'test', path: '/kind', value: request.object.kind }]),
  }),
  annotate: () => ({ allowed: true, auditAnnotations: { seen: 'yes' } }),
  'empty-patch': () => ({ allowed: true, ...patchOf([]) }),
  'wrong-uid': () => ({ allowed: true, uid: 'other' }),
  'patch-no-type': () => ({ allowed: true, patch: patchOf([]).patch }),
  'type-no-patch': () => ({ allowed: true, patchType: 'JSONPatch' }),
  'other-patch': () => ({ allowed: true, ...patchOf([{ op: 'add', path: '/x', value: 1 }]), patchType: 'Merge' }),
  'bad-patch': () => ({ allowed: true, ...patchOf('no patch') }),
  'failing-patch': () => ({ allowed: true, ...patchOf([{ op: 'remove', path: '/metadata/nothing' }]) }),
  'unknown-field': () => ({ allowed: true, ...patchOf([{ op: 'add', path: '/bogus', value: 1 }]) }),
  owners: () => ({
    allowed: true,
    ...patchOf([{ op: 'add', path: '/metadata/ownerReferences', value: [owner, owner] }]),
  }),
  'managed-fields': () => ({
    allowed: true,
    ...patchOf([{ op: 'replace', path: '/metadata/managedFields', value: [{ manager: 'x', operation: 'Odd' }] }]),
  }),
};

/** The HTTP answer of a webhook. `/status/CODE` answers with that code. */
export function answerOf(
  path: string,
  review: Loose,
): { readonly code: number; readonly body: string; readonly type?: string } {
  const [, name = '', argument = ''] = (path.split('?')[0] ?? '').split('/');
  if (name === 'status') return { code: Number(argument), body: 'went wrong' };
  if (name === 'text') return { code: Number(argument), body: 'went wrong\n', type: 'text/plain' };
  if (name === 'no-response') return { code: 200, body: JSON.stringify({ ...review, request: undefined }) };
  if (name === 'empty') return { code: 200, body: '' };
  const { uid } = review.request;
  const made = responses[name]?.(review.request, argument) ?? { allowed: true };
  const apiVersion = name === 'wrong-version' ? 'admission.k8s.io/v1beta1' : review.apiVersion;
  return { code: 200, body: JSON.stringify({ apiVersion, kind: review.kind, response: { uid, ...made } }) };
}
