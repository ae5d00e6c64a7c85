/**
 * Subresources that belong to one built-in kind: what they check and change. They know their kind and the operations the
 * server hands them; nothing of HTTP, patches or watches.
 */
import type { SubresourceForm, SubresourceHandler } from '../types.ts';
import { approval } from './approval.ts';
import { binding } from './binding.ts';
import { eviction } from './eviction.ts';
import { namespaceFinalize } from './namespace-finalize.ts';
import { ephemeralContainers, resize } from './pod-forms.ts';

export const builtinSubresources: readonly SubresourceHandler[] = [binding, eviction];
export const builtinForms: readonly SubresourceForm[] = [namespaceFinalize, ephemeralContainers, resize, approval];
