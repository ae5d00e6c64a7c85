import type { StorageClass } from '@coxswain/k8s';

const defaults = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

function isDefault({ metadata }: StorageClass): boolean {
  return defaults.some((annotation) => metadata.annotations?.[annotation] === 'true');
}

/** The class of claims that name none: the newest of those that are marked, and of equally new ones the first by name. */
export function defaultClass(classes: Iterable<StorageClass>): StorageClass | undefined {
  const age = ({ metadata }: StorageClass) => Date.parse(metadata.creationTimestamp ?? '') || 0;
  const marked = [...classes].filter(isDefault);
  return marked.sort((a, b) => age(b) - age(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}
