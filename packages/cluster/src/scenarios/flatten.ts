import type { KubeObject } from '@coxswain/k8s';

/** A field, and what it is. */
export type Leaf = readonly [path: string, value: string | number | boolean];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lists of things that have a name are read by it, so that a new one does not move the others. */
const keys = ['type', 'name', 'ip'];

function listKey(items: readonly unknown[]): string | undefined {
  return keys.find((key) => items.every((item) => isRecord(item) && typeof item[key] === 'string'));
}

function* visit(value: unknown, path: string): Generator<Leaf> {
  if (Array.isArray(value)) {
    const key = listKey(value);
    for (const [index, item] of value.entries())
      if (key) yield* visit({ ...item, [key]: undefined }, `${path}[${item[key]}]`);
      else yield* visit(item, `${path}[${index}]`);
  } else if (isRecord(value)) {
    if (Object.keys(value).length === 0) yield [path, '{}'];
    for (const [name, part] of Object.entries(value)) yield* visit(part, path === '' ? name : `${path}.${name}`);
  } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') yield [path, value];
}

/** Of a spec, what others than the user decide, and what users change while it runs. */
const specFields = ['replicas', 'nodeName', 'suspend', 'volumeName', 'unschedulable', 'taints', 'claimRef', 'capacity'];

interface Endpoint {
  readonly hostname?: string;
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean };
}

/** Of the endpoints of a slice, which have no names that last: how many there are in which state, and those that have a name. */
function endpointsOf(list: unknown): object | undefined {
  if (!Array.isArray(list)) return undefined;
  const endpoints = list as readonly Endpoint[];
  const having = (state: keyof NonNullable<Endpoint['conditions']>) =>
    endpoints.filter(({ conditions }) => conditions?.[state]).length;
  const named = endpoints.flatMap(({ hostname, conditions }) => (hostname ? [{ name: hostname, ...conditions }] : []));
  return {
    all: endpoints.length,
    ready: having('ready'),
    serving: having('serving'),
    terminating: having('terminating'),
    named,
  };
}

/** What is worth following of an object: what there is to say about it, and its status. */
export function leavesOf(object: KubeObject): Leaf[] {
  const { spec, status, endpoints, ports } = object as KubeObject & Readonly<Record<string, unknown>>;
  const {
    deletionTimestamp,
    deletionGracePeriodSeconds,
    finalizers,
    generation,
    annotations,
    labels,
    ownerReferences,
  } = object.metadata;
  const chosen = isRecord(spec) ? Object.fromEntries(specFields.map((name) => [name, spec[name]])) : undefined;
  const owners = ownerReferences?.map(({ kind, name, controller }) => ({ name: `${kind} ${name}`, controller }));
  const metadata = {
    deletionTimestamp,
    deletionGracePeriodSeconds,
    finalizers: finalizers?.join(' '),
    generation,
    annotations,
    labels,
    ownerReferences: owners,
  };
  return [...visit({ metadata, spec: chosen, status, endpoints: endpointsOf(endpoints), ports }, '')];
}
