import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';

/** The ordinals a StatefulSet must not use; ranges such as `3-5` are written out. */
export function reservedOrdinals(workload: KruiseStatefulSet | undefined): readonly number[] {
  return (workload?.spec.reserveOrdinals ?? []).flatMap((item) => {
    const [first, last = first] = String(item).split('-').map(Number);
    if (first === undefined || last === undefined || !(last >= first)) return [];
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
