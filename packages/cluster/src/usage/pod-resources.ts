import type { Quantity } from '@coxswain/runtime/core';
import { objectAt, objectsAt, type ReadJson } from '../apiserver/builtin/shared/draft.ts';
import { type Amounts, addTo, amountsAt, raiseTo, sumOf } from './amounts.ts';

type Side = 'requests' | 'limits';

/** What a pod as a whole may ask for instead of its containers. */
const podLevel = new Set(['cpu', 'memory']);

export function containerAmounts(container: ReadJson, side: Side): Amounts {
  return amountsAt(objectAt(container, 'resources'), side);
}

/**
 * What a pod asks for (or is limited to): the sum of its containers and sidecars, or its hungriest start if that is more;
 * what it states for itself overrides that of its containers.
 * @param ofContainer default: what the spec says
 */
export function podAmounts(
  pod: ReadJson,
  side: Side,
  ofContainer: (container: ReadJson) => Amounts = (container) => containerAmounts(container, side),
): Map<string, Quantity> {
  const spec = objectAt(pod, 'spec');
  const sum = new Map<string, Quantity>();
  for (const container of objectsAt(spec, 'containers')) addTo(sum, ofContainer(container));
  const sidecars = new Map<string, Quantity>();
  const starting = new Map<string, Quantity>();
  for (const container of objectsAt(spec, 'initContainers')) {
    const own = ofContainer(container);
    if (container.restartPolicy === 'Always') {
      addTo(sum, own);
      addTo(sidecars, own);
      raiseTo(starting, sidecars);
    } else raiseTo(starting, sumOf(own, sidecars));
  }
  raiseTo(sum, starting);
  for (const [name, quantity] of amountsAt(objectAt(spec, 'resources'), side)) {
    if (podLevel.has(name) || name.startsWith('hugepages-')) sum.set(name, quantity);
  }
  return sum;
}
