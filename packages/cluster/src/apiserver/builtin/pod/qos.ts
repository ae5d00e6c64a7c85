import { mapAt, objectAt, objectsAt, type ReadJson } from '../shared/draft.ts';

const counted = ['cpu', 'memory'];

function isZero(quantity: string | undefined): boolean {
  return quantity === undefined || /^[+-]?0*\.?0*[a-zA-Z]*$/.test(quantity);
}

interface Totals {
  requests: number;
  limits: number;
  guaranteed: boolean;
}

function count(totals: Totals, owner: ReadJson): void {
  const resources = objectAt(owner, 'resources');
  const requests = mapAt(resources, 'requests');
  const limits = mapAt(resources, 'limits');
  for (const name of counted) {
    if (!isZero(requests[name])) totals.requests++;
    if (isZero(limits[name])) totals.guaranteed = false;
    else totals.limits++;
    if (!isZero(requests[name]) && requests[name] !== limits[name]) totals.guaranteed = false;
  }
}

/** The quality-of-service class of a pod: by the pod's own resources when it has some, else by its containers. */
export function qosClass(spec: ReadJson): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const totals: Totals = { requests: 0, limits: 0, guaranteed: true };
  const own = objectAt(spec, 'resources');
  if (own && Object.keys({ ...mapAt(own, 'requests'), ...mapAt(own, 'limits') }).length > 0) count(totals, spec);
  else
    for (const container of [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')])
      count(totals, container);
  if (totals.requests === 0 && totals.limits === 0) return 'BestEffort';
  return totals.guaranteed ? 'Guaranteed' : 'Burstable';
}
