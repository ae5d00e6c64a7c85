import type { KubeObject } from '@coxswain/k8s';
import type { Monitor } from '../kinds/index.ts';

/** An object with the place it was seen at. */
export interface Item {
  readonly monitor: Monitor;
  readonly object: KubeObject;
}

/** `deployments.apps|default|web`: none of the parts can hold a bar. */
export function textOfItem({ monitor, object }: Item): string {
  return `${monitor.id}|${object.metadata.namespace ?? ''}|${object.metadata.name}`;
}

export function keyOfItem(text: string): { id: string; namespace: string; name: string } {
  const [id = '', namespace = '', name = ''] = text.split('|');
  return { id, namespace, name };
}
