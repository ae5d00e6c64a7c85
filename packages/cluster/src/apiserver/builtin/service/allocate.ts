import type { MutableJson } from '@coxswain/k8s';
import { apiError, invalid } from '@coxswain/runtime/core';
import type { StrategyContext } from '../../types.ts';
import { ensureObject, given, listAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue } from '../shared/errors.ts';
import {
  addressRange,
  allocatorOf,
  highestNodePort,
  lowestNodePort,
  offsetOf,
  type ServiceAllocator,
} from './allocator.ts';

export function needsAddress(spec: ReadJson | undefined): boolean {
  return ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'));
}

export function needsNodePorts(spec: ReadJson | undefined): boolean {
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
  } else if (many.length > 0 && many[0] !== oldMany[0]) spec.clusterIP = many[0];
  else if (many.length === 0 && one !== '' && oldMany.length > 0) spec.clusterIPs = [...oldMany];
}

function fillFamilies(spec: MutableJson): void {
  const noSelector = Object.keys(objectAt(spec, 'selector') ?? {}).length === 0;
  if (isHeadless(spec) && noSelector) {
    if (listAt(spec, 'ipFamilies').length === 0) spec.ipFamilies = ['IPv4'];
    const policy = textAt(spec, 'ipFamilyPolicy');
    if (listAt(spec, 'ipFamilies').length < 2 && policy !== 'SingleStack') {
      const first = listAt(spec, 'ipFamilies')[0];
      spec.ipFamilies = [first, first === 'IPv4' ? 'IPv6' : 'IPv4'];
    }
    if (policy === '') spec.ipFamilyPolicy = 'RequireDualStack';
    return;
  }
  if (!given(spec.ipFamilyPolicy)) spec.ipFamilyPolicy = 'SingleStack';
  if (listAt(spec, 'ipFamilies').length === 0) spec.ipFamilies = ['IPv4'];
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
  const offset = offsetOf(address);
  const reason =
    offset === undefined || offset === 0
      ? `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${addressRange}`
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
  fillFamilies(spec);
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

function checkGivenPort(draft: MutableJson, port: number, index: number, allocator: ServiceAllocator): void {
  const inRange = port >= lowestNodePort && port <= highestNodePort;
  if (inRange && !allocator.hasPort(port)) return;
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
  objectsAt(spec, 'ports').forEach((port, i) => {
    const wanted = Number(port.nodePort ?? 0);
    if (wanted !== 0) {
      if (check && !kept.has(wanted) && byNumber.get(port.port) !== wanted) checkGivenPort(draft, wanted, i, allocator);
    } else {
      // The same port over TCP and UDP shares one node port.
      port.nodePort = byNumber.get(port.port) ?? allocator.takePort();
    }
    byNumber.set(port.port, port.nodePort);
  });
}

function allocateHealthCheck(spec: MutableJson, allocator: ServiceAllocator): void {
  const needed = textAt(spec, 'type') === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
  if (needed && !given(spec.healthCheckNodePort)) spec.healthCheckNodePort = allocator.takePort();
  if (!needed) delete spec.healthCheckNodePort;
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
