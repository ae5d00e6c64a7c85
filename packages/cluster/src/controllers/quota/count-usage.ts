import type { KubeObject } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { Quantity } from '@coxswain/runtime/core';
import { addTo, amountsAt, evaluatorFor, only, type ReadJson, selectorsOf, specOf, zero } from '../../usage/index.ts';
import type { KindMonitors } from '../kinds/index.ts';

/** Kinds that are charged for more than their number. */
const measured: ReadonlySet<string> = new Set(['pods', 'services', 'persistentvolumeclaims']);

/** What the objects of a quota's namespace use now of what the quota bounds. */
export async function countUsage(
  client: Client,
  monitors: KindMonitors,
  quota: ReadJson,
  now: number,
): Promise<ReadonlyMap<string, Quantity>> {
  const names = [...amountsAt(specOf(quota), 'hard').keys()];
  const selectors = selectorsOf(quota);
  const { namespace = '' } = (quota as unknown as KubeObject).metadata;
  const result = new Map<string, Quantity>();
  for (const { kind } of monitors.all()) {
    if (kind.scope !== 'Namespaced') continue;
    const evaluator = evaluatorFor(kind.group, kind.plural);
    const bounded = evaluator.matching(names);
    if (bounded.length === 0) continue;
    for (const name of bounded) result.set(name, zero);
    const metadataOnly = kind.group !== '' || !measured.has(kind.plural);
    for await (const one of client.of(kind).listAll({ namespace, metadataOnly })) {
      const object = one as unknown as ReadJson;
      if (!selectors.every((selector) => evaluator.inScope(selector, object))) continue;
      addTo(result, only(evaluator.usage(object, now), bounded));
    }
  }
  return result;
}
