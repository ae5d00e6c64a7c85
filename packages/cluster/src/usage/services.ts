import { quantityOf } from '@coxswain/runtime/core';
import { objectAt, objectsAt, textAt } from '../apiserver/builtin/shared/draft.ts';
import { one, zero } from './amounts.ts';
import type { Evaluator } from './evaluators.ts';

const names = ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'];

/** Services count by number, by node ports and by load balancers. */
export const serviceEvaluator: Evaluator = {
  matching: (given) => given.filter((name) => names.includes(name)),
  inScope: () => false,
  refusal: () => undefined,
  usage(service) {
    const spec = objectAt(service, 'spec');
    const ports = objectsAt(spec, 'ports');
    const type = textAt(spec, 'type');
    // Ports are not yet allocated when a service is admitted: what counts is that they will be.
    const given = spec?.allocateLoadBalancerNodePorts === false ? ports.filter((port) => port.nodePort) : ports;
    const nodePorts = type === 'NodePort' ? ports.length : type === 'LoadBalancer' ? given.length : 0;
    return new Map([
      ['count/services', one],
      ['services', one],
      ['services.nodeports', quantityOf(nodePorts)],
      ['services.loadbalancers', type === 'LoadBalancer' ? one : zero],
    ]);
  },
};
