import type { Collect, Step } from './types.ts';

type Extra = Omit<Partial<Step>, 'method' | 'path' | 'body'>;

export const get = (path: string, extra: Extra = {}): Step => ({ method: 'GET', path, ...extra });
export const post = (path: string, body?: unknown, extra: Extra = {}): Step => ({
  method: 'POST',
  path,
  body,
  ...extra,
});
export const put = (path: string, body?: unknown, extra: Extra = {}): Step => ({ method: 'PUT', path, body, ...extra });
export const del = (path: string, body?: unknown, extra: Extra = {}): Step => ({
  method: 'DELETE',
  path,
  ...(body === undefined ? {} : { body }),
  ...extra,
});

const patchOf =
  (contentType: string) =>
  (path: string, body: unknown, extra: Extra = {}): Step => ({ method: 'PATCH', path, body, contentType, ...extra });

export const mergePatch = patchOf('application/merge-patch+json');
export const jsonPatch = patchOf('application/json-patch+json');
export const strategicPatch = patchOf('application/strategic-merge-patch+json');
export const applyPatch = patchOf('application/apply-patch+yaml');

/** Opens a watch under a name. */
export const watch = (stream: string, path: string, extra: Extra = {}): Step => ({
  method: 'GET',
  path,
  stream,
  ...extra,
});
export const collect = (stream: string, events: number): Collect => ({ collect: stream, events });

/** The path of a namespaced collection of the core group, in the scenario's namespace. */
export const core = (plural: string): string => `/api/v1/namespaces/{ns}/${plural}`;
/** The same of another group: `apps/v1`. */
export const group = (version: string, plural: string): string => `/apis/${version}/namespaces/{ns}/${plural}`;

/** An object: `object('v1', 'ConfigMap', 'a', { data: … })`. */
export function object(apiVersion: string, kind: string, name: string, more: Readonly<Record<string, unknown>> = {}) {
  const { metadata, ...rest } = more;
  return { apiVersion, kind, metadata: { name, ...(metadata as object | undefined) }, ...rest };
}

export const configMap = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  object('v1', 'ConfigMap', name, more);

/** The least a pod template must say. */
export const template = (labels: Readonly<Record<string, string>> = { app: 'a' }) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
});
