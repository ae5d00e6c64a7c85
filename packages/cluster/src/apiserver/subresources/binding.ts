import type { MutableJson } from '@coxswain/k8s';
import { badRequest, conflict, formatTime } from '@coxswain/runtime/core';
import { isObject } from '../rest/clone.ts';
import type { SubresourceHandler } from '../types.ts';
import { setPodCondition } from './conditions.ts';

const bindings = { group: '', plural: 'pods/binding' };

interface Binding {
  readonly node: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly annotations: object;
  readonly labels: object;
}

const textIn = (object: MutableJson, field: string): string | undefined => {
  const value = object[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
};
const objectIn = (object: MutableJson, field: string): MutableJson => {
  const value = object[field];
  return isObject(value) ? value : {};
};

/** @throws ApiError BadRequest */
function bindingOf(body: unknown, name: string): Binding {
  if (!isObject(body)) throw badRequest('not a Binding object: the body must be a JSON object');
  const metadata = objectIn(body, 'metadata');
  const target = objectIn(body, 'target');
  if (textIn(metadata, 'name') !== name) throw badRequest('name in URL does not match name in Binding object');
  const node = textIn(target, 'name');
  if (node === undefined) throw badRequest('target.name: Required value');
  if ((textIn(target, 'kind') ?? 'Node') !== 'Node') {
    throw badRequest(
      `target.kind: Unsupported value: ${JSON.stringify(target.kind)}: supported values: "Node", "<empty>"`,
    );
  }
  return {
    node,
    uid: textIn(metadata, 'uid'),
    resourceVersion: textIn(metadata, 'resourceVersion'),
    annotations: objectIn(metadata, 'annotations'),
    labels: objectIn(metadata, 'labels'),
  };
}

/** `pods/binding`: assigns a pod to a node, once. */
export const binding: SubresourceHandler = {
  resource: '/pods',
  name: 'binding',
  verbs: ['create'],
  async handle({ request, name, operations, context }) {
    const wanted = bindingOf(request.body, name);
    await operations.amend((draft, old) => {
      const refuse = (why: string) => conflict(bindings, name, why);
      const { uid, resourceVersion, deletionTimestamp } = old.metadata;
      if (wanted.uid !== undefined && wanted.uid !== uid) {
        throw refuse(`Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`);
      }
      if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
        const versions = `${wanted.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`;
        throw refuse(`Precondition failed: ResourceVersion in precondition: ${versions}`);
      }
      if (deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
      const spec = objectIn(draft, 'spec');
      if (spec.nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
      if (Array.isArray(spec.schedulingGates) && spec.schedulingGates.length > 0) {
        throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
      }
      spec.nodeName = wanted.node;
      draft.spec = spec;
      merge(objectIn(draft, 'metadata'), wanted);
      setPodCondition(draft, { type: 'PodScheduled', status: 'True' }, formatTime(context.clock.now()));
      delete (draft.status as MutableJson).nominatedNodeName;
    });
    return {
      kind: 'object',
      code: 201,
      body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    };
  },
};

function merge(metadata: MutableJson, { annotations, labels }: Binding): void {
  if (Object.keys(annotations).length > 0)
    metadata.annotations = { ...objectIn(metadata, 'annotations'), ...annotations };
  if (Object.keys(labels).length > 0) metadata.labels = { ...objectIn(metadata, 'labels'), ...labels };
}
