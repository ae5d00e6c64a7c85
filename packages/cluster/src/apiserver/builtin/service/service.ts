import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { copyJson, ensureObject, fill, fillZero, given, objectAt, objectsAt, textAt } from '../shared/draft.ts';
import { allocate, isExternal, mirrorAddresses, settleFamilies } from './allocate.ts';
import { dropTypeDependent, keepAllocated } from './change-type.ts';
import { validateService, validateServiceUpdate } from './validate.ts';
import { serviceWarnings } from './warnings.ts';

function defaultAffinity(spec: MutableJson): void {
  fillZero(spec, 'sessionAffinity', 'None');
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  const seconds = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP')?.timeoutSeconds;
  if (!given(seconds)) spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
}

function defaultService(draft: MutableJson): void {
  // A write of the status comes without the spec, and only the status of a balanced service has addresses.
  const balanced = draft.spec === undefined || objectAt(draft, 'spec')?.type === 'LoadBalancer';
  const spec = ensureObject(draft, 'spec');
  defaultAffinity(spec);
  fillZero(spec, 'type', 'ClusterIP');
  for (const port of objectsAt(spec, 'ports')) {
    fillZero(port, 'protocol', 'TCP');
    fillZero(port, 'targetPort', port.port);
  }
  if (isExternal(spec)) fillZero(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec.type !== 'ExternalName') fill(spec, 'internalTrafficPolicy', 'Cluster');
  const status = ensureObject(draft, 'status');
  const balancer = ensureObject(status, 'loadBalancer');
  if (!balanced) return;
  if (spec.type === 'LoadBalancer') fill(spec, 'allocateLoadBalancerNodePorts', true);
  for (const ingress of objectsAt(balancer, 'ingress'))
    if (textAt(ingress, 'ip') !== '') fill(ingress, 'ipMode', 'VIP');
}

/** A node port given twice is found when it is to be taken. */
const isTakenPort = ({ field, reason }: FieldError): boolean =>
  reason === 'FieldValueDuplicate' && field.endsWith('.nodePort');

export const serviceStrategy: Strategy = {
  default: defaultService,
  prepareCreate(draft, context) {
    draft.status = { loadBalancer: {} };
    mirrorAddresses(ensureObject(draft, 'spec'));
    settleFamilies(draft);
    // A service that is refused anyway must not fail for an address first.
    if (validateService(draft).every(isTakenPort)) allocate(draft, undefined, context);
  },
  prepareUpdate(draft, old, context) {
    if (context.subresource !== '') return;
    const spec = ensureObject(draft, 'spec');
    const before = copyJson(objectAt(old, 'spec') ?? {});
    mirrorAddresses(spec, before);
    keepAllocated(spec, before);
    dropTypeDependent(spec, before);
    settleFamilies(draft);
    if (validateService(draft).every(isTakenPort)) allocate(draft, old, context);
  },
  warnings: serviceWarnings,
  validateCreate: validateService,
  // What may not change is told first.
  validateUpdate: (object, old, { subresource }) =>
    subresource === '' ? [...validateServiceUpdate(object, old), ...validateService(object)] : [],
};
