import type { Step } from './cases.ts';

export const namespaces = '/api/v1/namespaces';

/** Sets a scene: a namespace with an account for its pods. */
export function scene(name: string, labels: object = {}): readonly Step[] {
  const account = { metadata: { name: 'runner' }, automountServiceAccountToken: false };
  return [
    { method: 'POST', path: namespaces, body: { metadata: { name, labels } }, configures: true },
    { method: 'POST', path: `${namespaces}/${name}/serviceaccounts`, body: account, configures: true },
  ];
}

export function post(
  namespace: string,
  plural: string,
  body: object,
  query: Readonly<Record<string, string>> = {},
): Step {
  return { method: 'POST', path: `${namespaces}/${namespace}/${plural}`, body, query };
}

export function configure(path: string, body: object): Step {
  return { method: 'POST', path, body, configures: true };
}

export function pod(name: string, containers: readonly object[], spec: object = {}): object {
  const named = containers.map((container, i) => ({ name: `c${i}`, image: 'i', ...container }));
  return { metadata: { name }, spec: { serviceAccountName: 'runner', containers: named, ...spec } };
}

export function configMap(name: string, labels: object = {}): object {
  return { metadata: { name, labels }, data: { a: 'b' } };
}
