/**
 * Subresources that belong to one built-in kind: what they check and change. They know their kind and the operations the
 * server hands them; nothing of HTTP, patches or watches.
 */
import type { ConnectHandler, SubresourceForm, SubresourceHandler } from '../types.ts';
import { approval } from './approval.ts';
import { binding } from './binding.ts';
import { podAttach, podExec, podLog, podPortForward } from './connect/index.ts';
import { eviction } from './eviction.ts';
import { namespaceFinalize } from './namespace-finalize.ts';
import { ephemeralContainers, resize } from './pod-forms.ts';
import { type ProxyContext, proxies } from './proxy/index.ts';

export const builtinSubresources: readonly SubresourceHandler[] = [binding, eviction];
export const builtinForms: readonly SubresourceForm[] = [namespaceFinalize, ephemeralContainers, resize, approval];

/** What is answered by the nodes. */
export function nodeSubresources(context: ProxyContext): {
  readonly subresources: readonly SubresourceHandler[];
  readonly connects: readonly ConnectHandler[];
} {
  const { nodes } = context;
  const connects = [podExec(nodes), podAttach(nodes), podPortForward(nodes), ...proxies(context)];
  return { subresources: [podLog(nodes)], connects };
}
