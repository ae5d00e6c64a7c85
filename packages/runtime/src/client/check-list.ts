import type { KubeList } from '@coxswain/k8s';
import { ConnectionError } from './errors.ts';

/**
 * Taken for an empty list, something else (a table, one object, what a proxy made up) would say that everything is gone.
 * @throws ConnectionError when it is no list
 */
export function checkList(answer: Partial<KubeList> | null | undefined): void {
  const { kind, items }: { readonly kind?: unknown; readonly items?: unknown } = answer ?? {};
  const isList = items ? Array.isArray(items) : kind === undefined || String(kind).endsWith('List');
  if (!isList) throw new ConnectionError(`what came as a list is none${kind ? `, but a ${kind}` : ''}`);
}
