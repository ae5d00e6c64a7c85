import type { Container, Pod } from '@coxswain/k8s';
import { badRequest } from '@coxswain/runtime/core';

/** The container of a pod that a request is about: the one it names, else the only one. @throws ApiError BadRequest */
export function containerOf({ metadata, spec }: Pod, wanted: string): string {
  const own: readonly Container[] = spec?.containers ?? [];
  const names = [...(spec?.initContainers ?? []), ...own, ...(spec?.ephemeralContainers ?? [])].map(({ name }) => name);
  if (wanted !== '') {
    if (names.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${metadata.name}`);
  }
  const [first, second] = own;
  if (first && !second) return first.name;
  const choice = first ? `, choose one of: [${names.join(' ')}]` : '';
  throw badRequest(`a container name must be specified for pod ${metadata.name}${choice}`);
}
