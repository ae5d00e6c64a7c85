// Kinds for the tests of these rooms. Not exported.
import type { Condition, Kind, KubeObject } from '@coxswain/k8s';

export interface Widget extends KubeObject {
  readonly spec: { readonly size: number; readonly needs?: string };
  readonly status?: { readonly made?: number; readonly conditions?: readonly Condition[] };
}

export const Widget: Kind<Widget> = {
  group: 'test.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

export interface Part extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const Part: Kind<Part> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
};

export interface Base extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export const Base: Kind<Base> = {
  group: 'test.dev',
  version: 'v1',
  kind: 'Base',
  plural: 'bases',
  scope: 'Namespaced',
};

export const widgetPath = '/apis/test.dev/v1/namespaces/default/widgets';
export const partPath = '/api/v1/namespaces/default/configmaps';
export const basePath = '/apis/test.dev/v1/namespaces/default/bases';

export function widget(name: string, size = 1, needs?: string): Widget {
  return { metadata: { name, namespace: 'default' }, spec: { size, ...(needs ? { needs } : {}) } };
}
