import type { Clock, Random } from '@coxswain/runtime/core';
import type { NodeConnections } from '../../nodes.ts';

export interface ProxyContext {
  readonly nodes: NodeConnections;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether pods and nodes may live in the loopback range; the real server leads nobody there. Default false. */
  readonly loopbackPods?: boolean;
}
