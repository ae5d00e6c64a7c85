import type { MutableJson } from '@coxswain/k8s';
import { apiError, invalid } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { StrategyContext } from '../../types.ts';
import { ensureObject, fillZero, listAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue } from '../shared/errors.ts';
import { allocatorOf, highestNodePort, lowestNodePort, type ServiceAllocator } from './allocator.ts';
import { familyOf, validateClusterAddresses } from './validate-addresses.ts';

export function needsAddress(spec: ReadJson | undefined): boolean {
  return textAt(spec, 'type') !== 'ExternalName';
}

function needsNodePorts(spec: ReadJson | undefined): boolean {
  const type = textAt(spec, 'type');
  return type === 'NodePort' || (type === 'LoadBalancer' && spec?.allocateLoadBalancerNodePorts !== false);
}

export function isHeadless(spec: ReadJson | undefined): boolean {
  return listAt(spec, 'clusterIPs')[0] === 'None';
}

/** Whether traffic from outside may come in: what makes the external traffic policy meaningful. */
export function isExternal(spec: ReadJson | undefined): boolean {
  const type = textAt(spec, 'type');
  return (
    type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && listAt(spec, 'externalIPs').length > 0)
  );
}

/** `clusterIP` is the first of `clusterIPs`; whichever the client gave fills the other. */
export function mirrorAddresses(spec: MutableJson, old?: ReadJson): void {
  const one = textAt(spec, 'clusterIP');
  const many = listAt(spec, 'clusterIPs');
  if (!old) {
    if (one !== '' && many.length === 0) spec.clusterIPs = [one];
    return;
  }
  const oldOne = textAt(old, 'clusterIP');
  const oldMany = listAt(old, 'clusterIPs');
  if (oldOne !== one) {
    if (one === '') delete spec.clusterIPs;
    else if (many.length === 0 || many[0] === oldMany[0]) spec.clusterIPs = [one];
  } else if (many.length === 0 && one !== '' && oldMany.length > 0) spec.clusterIPs = [...oldMany];
}

function fillFamilies(draft: MutableJson, spec: MutableJson): void {
  const noSelector = Object.keys(objectAt(spec, 'selector') ?? {}).length === 0;
  const free = isHeadless(spec) && noSelector;
  fillZero(spec, 'ipFamilyPolicy', free ? 'RequireDualStack' : 'SingleStack');
  refuse(draft, validateClusterAddresses(spec));
  refuse(draft, familyCounts(spec));
  if (!free) refuse(draft, familiesOfCluster(spec));
  if (listAt(spec, 'ipFamilies').length === 0) spec.ipFamilies = ['IPv4'];
  if (free && listAt(spec, 'ipFamilies').length < 2 && textAt(spec, 'ipFamilyPolicy') !== 'SingleStack') {
    const first = listAt(spec, 'ipFamilies')[0];
    spec.ipFamilies = [first, first === 'IPv4' ? 'IPv6' : 'IPv4'];
  }
}

function familyCounts(spec: ReadJson): readonly FieldError[] {
  const errors: FieldError[] = [];
  const many = listAt(spec, 'clusterIPs').map(String);
  const families = listAt(spec, 'ipFamilies');
  const policy = textAt(spec, 'ipFamilyPolicy');
  const needTwo = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  const tooMany = (what: string) =>
    errors.push(invalidValue('spec.ipFamilyPolicy', policy, `${needTwo} ${what} are specified`));
  if (policy === 'SingleStack' && many.length === 2) tooMany('cluster IPs');
  if (policy === 'SingleStack' && families.length === 2) tooMany('IP families');
  many.forEach((address, i) => {
    if (address === 'None' || i < families.length || familyOf(address) === 'IPv4') return;
    errors.push(invalidValue(`spec.clusterIPs[${i}]`, many, `${familyOf(address)} is not configured on this cluster`));
  });
  return errors;
}

/** The cluster has IPv4 only. */
function familiesOfCluster(spec: ReadJson): readonly FieldError[] {
  const errors: FieldError[] = [];
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (policy === 'RequireDualStack') {
    errors.push(invalidValue('spec.ipFamilyPolicy', policy, 'this cluster is not configured for dual-stack services'));
  }
  listAt(spec, 'ipFamilies').forEach((family, i) => {
    if (family !== 'IPv4') errors.push(invalidValue(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'));
  });
  return errors;
}

/** @throws ApiError Invalid when there is an error */
function refuse(draft: ReadJson, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid('', 'Service', nameOf(draft), errors);
}

function nameOf(draft: ReadJson): string {
  return textAt(objectAt(draft, 'metadata'), 'name');
}

function takeGivenAddress(
  draft: MutableJson,
  spec: MutableJson,
  allocator: ServiceAllocator,
  own: ReadJson | undefined,
): void {
  const address = textAt(spec, 'clusterIP');
  if (textAt(own, 'clusterIP') === address) return;
  const offset = allocator.range.offsetOf(address);
  const reason =
    offset === undefined || offset === 0
      ? `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${allocator.range.text}`
      : allocator.hasAddress(address)
        ? 'provided IP is already allocated'
        : undefined;
  if (reason === undefined) return;
  const text = `failed to allocate IP ${address}: ${reason}`;
  throw invalid('', 'Service', nameOf(draft), [invalidValue('spec.clusterIPs', listAt(spec, 'clusterIPs'), text)]);
}

function allocateAddress(
  draft: MutableJson,
  spec: MutableJson,
  allocator: ServiceAllocator,
  own: ReadJson | undefined,
): void {
  if (!needsAddress(spec)) return;
  if (isHeadless(spec)) return;
  if (textAt(spec, 'clusterIP') !== '') {
    takeGivenAddress(draft, spec, allocator, own);
    return;
  }
  const address = allocator.takeAddress();
  if (address === undefined) {
    throw apiError(500, 'InternalError', `Internal error occurred: failed to allocate a serviceIP: range is full`);
  }
  spec.clusterIP = address;
  spec.clusterIPs = [address];
}

function checkGivenPort(draft: MutableJson, port: number, index: number, taken: boolean): void {
  const inRange = port >= lowestNodePort && port <= highestNodePort;
  if (inRange && !taken) return;
  const text = inRange
    ? 'provided port is already allocated'
    : `provided port is not in the valid range. The range of valid ports is ${lowestNodePort}-${highestNodePort}`;
  throw invalid('', 'Service', nameOf(draft), [invalidValue(`spec.ports[${index}].nodePort`, port, text)]);
}

function allocatePorts(
  draft: MutableJson,
  spec: MutableJson,
  allocator: ServiceAllocator,
  { own, check }: { readonly own: ReadJson | undefined; readonly check: boolean },
): void {
  if (!needsNodePorts(spec)) return;
  const kept = new Set(objectsAt(own, 'ports').map((port) => port.nodePort));
  const byNumber = new Map<unknown, unknown>();
  const here = new Set<number>();
  objectsAt(spec, 'ports').forEach((port, i) => {
    const wanted = Number(port.nodePort ?? 0);
    if (wanted !== 0) {
      const taken = here.has(wanted) || allocator.hasPort(wanted);
      if ((check || taken) && !kept.has(wanted) && byNumber.get(port.port) !== wanted) {
        checkGivenPort(draft, wanted, i, taken);
      }
      here.add(wanted);
    } else {
      // The same port over TCP and UDP shares one node port.
      port.nodePort = byNumber.get(port.port) ?? allocator.takePort();
    }
    byNumber.set(port.port, port.nodePort);
  });
}

function allocateHealthCheck(spec: MutableJson, allocator: ServiceAllocator): void {
  const needed = textAt(spec, 'type') === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
  if (needed && !spec.healthCheckNodePort) spec.healthCheckNodePort = allocator.takePort();
}

/**
 * Gives a service the families of its addresses. Goes before everything else: its errors are told alone.
 * @throws ApiError Invalid when the cluster cannot do what is asked for
 */
export function settleFamilies(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  if (needsAddress(spec)) fillFamilies(draft, spec);
}

/**
 * Gives a service the address and node ports it needs and lacks. `old` is the stored service on update.
 * @throws ApiError Invalid when a wanted one is taken or outside the range
 */
export function allocate(draft: MutableJson, old: ReadJson | undefined, context: StrategyContext): void {
  const { storage, dryRun } = context;
  const spec = ensureObject(draft, 'spec');
  const allocator = allocatorOf(storage);
  const own = objectAt(old, 'spec');
  allocateAddress(draft, spec, allocator, own);
  allocatePorts(draft, spec, allocator, { own, check: !dryRun });
  allocateHealthCheck(spec, allocator);
}
