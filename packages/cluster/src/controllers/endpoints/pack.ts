import type { Endpoint, EndpointSlice, Service } from '@coxswain/k8s';
import { deepEqual } from '@coxswain/runtime/core';
import { hasLabelsOf, isOwnedBy, labelsFor, newSlice, type PortGroup, portKey } from './slices.ts';

/** Most endpoints in one slice. */
export const sliceSize = 100;

/** What to do so that slices say what they should, with as few writes as can be. */
export interface SlicePlan {
  readonly create: EndpointSlice[];
  readonly update: EndpointSlice[];
  readonly remove: EndpointSlice[];
}

/** An endpoint is another one when its address, host name or pod is. */
function identity({ addresses, hostname, targetRef }: Endpoint): string {
  return JSON.stringify([[...addresses].sort(), hostname, targetRef?.namespace, targetRef?.name]);
}

/**
 * Packs one group of endpoints: what is in a slice stays in it, slices that change anyway are filled up (the fullest first), and the rest goes into
 * the one slice it fits best, or into new ones.
 */
function packGroup(
  service: Service,
  addressType: string,
  group: PortGroup,
  slices: readonly EndpointSlice[],
): SlicePlan {
  const wanted = new Map(group.endpoints.map((endpoint) => [identity(endpoint), endpoint]));
  const take = (room: number) => {
    const taken = [...wanted].slice(0, Math.max(0, room));
    for (const [key] of taken) wanted.delete(key);
    return taken.map(([, endpoint]) => endpoint);
  };
  const plan: SlicePlan = { create: [], update: [], remove: [] };
  let unchanged: EndpointSlice[] = [];
  const changed: { readonly slice: EndpointSlice; endpoints: Endpoint[] }[] = [];
  for (const slice of slices) {
    const before = slice.endpoints ?? [];
    const kept: Endpoint[] = [];
    for (const endpoint of before) {
      const now = wanted.get(identity(endpoint));
      if (now) kept.push(now);
      wanted.delete(identity(endpoint));
    }
    if (deepEqual(before, kept) && hasLabelsOf(slice, service)) unchanged.push(slice);
    else if (kept.length === 0 && before.length > 0) plan.remove.push(slice);
    else changed.push({ slice, endpoints: kept });
  }
  for (const one of [...changed].sort((a, b) => b.endpoints.length - a.endpoints.length))
    one.endpoints = [...one.endpoints, ...take(sliceSize - one.endpoints.length)];
  while (wanted.size > 0) {
    const slice = wanted.size < sliceSize ? bestFit(unchanged, wanted.size) : undefined;
    if (slice) {
      unchanged = unchanged.filter((one) => one !== slice);
      changed.push({ slice, endpoints: [...(slice.endpoints ?? []), ...take(wanted.size)] });
    } else plan.create.push(newSlice(service, addressType, group.ports, take(sliceSize)));
  }
  const labels = labelsFor(service);
  for (const { slice, endpoints } of changed)
    plan.update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints });
  return plan;
}

/** The slice that `count` more endpoints fill best; none when they do not fit, or when it would be empty but for them. */
function bestFit(slices: readonly EndpointSlice[], count: number): EndpointSlice | undefined {
  const room = (slice: EndpointSlice) => sliceSize - (slice.endpoints?.length ?? 0) - count;
  return slices.filter((slice) => room(slice) >= 0).sort((a, b) => room(a) - room(b))[0];
}

/** A new slice takes the place (and name) of one that would go. */
function recycle(plan: SlicePlan, service: Service): void {
  for (const old of [...plan.remove]) {
    if (!isOwnedBy(old, service)) continue;
    const fresh = plan.create.pop();
    if (!fresh) return;
    plan.remove.splice(plan.remove.indexOf(old), 1);
    const { name, resourceVersion = '', annotations = {} } = old.metadata;
    plan.update.push({ ...fresh, metadata: { ...fresh.metadata, name, resourceVersion, annotations } });
  }
}

/**
 * Compares the slices of one address type with the endpoints there should be. A service without endpoints has one empty slice.
 * @param groups endpoints by {@link portKey}
 */
export function planSlices(
  service: Service,
  addressType: string,
  groups: ReadonlyMap<string, PortGroup>,
  existing: readonly EndpointSlice[],
): SlicePlan {
  const plan: SlicePlan = { create: [], update: [], remove: [] };
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of existing) {
    const key = portKey(slice.ports);
    if (isOwnedBy(slice, service) && groups.has(key)) byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
    else plan.remove.push(slice);
  }
  for (const [key, group] of groups) {
    const packed = packGroup(service, addressType, group, byPorts.get(key) ?? []);
    plan.create.push(...packed.create);
    plan.update.push(...packed.update);
    plan.remove.push(...packed.remove);
  }
  if (plan.remove.length === existing.length && plan.create.length === 0) {
    const [only] = plan.remove.length === 1 ? plan.remove : [];
    if (only && isPlaceholder(only, service)) plan.remove.length = 0;
    else plan.create.push(newSlice(service, addressType, [], []));
  }
  recycle(plan, service);
  return plan;
}

function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  const empty = (slice.endpoints ?? []).length === 0 && (slice.ports ?? []).length === 0;
  return empty && isOwnedBy(slice, service) && deepEqual(slice.metadata.labels, labelsFor(service));
}
