import { apiError } from '@coxswain/runtime/core';
import type { NodeConnections } from '../../nodes.ts';
import type { ConnectHandler } from '../../types.ts';
import { findPod, referenceOf } from './find-pod.ts';
import { join } from './join.ts';
import { portNumbers } from './query-values.ts';
import { connectionRefused, nodeOf } from './reach.ts';
import { notScheduled, upgradeRequired } from './refused.ts';

/** `pods/portforward`: joins connections of the client with ports of a pod. */
export function podPortForward(nodes: NodeConnections): ConnectHandler {
  return {
    resource: '/pods',
    name: 'portforward',
    methods: ['GET', 'POST'],
    subpaths: false,
    options(request) {
      const ports = portNumbers(request, 'ports');
      return { kind: 'PodPortForwardOptions', apiVersion: 'v1', ...(ports.length > 0 ? { ports } : {}) };
    },
    connect({ request, namespace, name, options, storage, authorize }) {
      authorize('create');
      const pod = findPod(storage, namespace, name);
      const node = nodeOf(nodes, storage, pod);
      if (!node) throw notScheduled(name);
      if (!request.upgrade) throw upgradeRequired();
      const { connection } = node;
      if (!connection) throw apiError(500, '', `error dialing backend: ${connectionRefused(node)}`);
      const reference = referenceOf(pod);
      return {
        kind: 'upgrade',
        code: 101,
        body: {
          kind: 'portforward',
          ports: Array.isArray(options.ports) ? options.ports.map(Number) : [],
          async connect(port, client, signal) {
            try {
              await join(client, await connection.dial(reference, port, signal), signal);
            } catch (error) {
              const why = error instanceof Error ? error.message : String(error);
              throw new Error(`error forwarding port ${port} to pod ${reference.name}, uid ${reference.uid}: ${why}`);
            }
          },
        },
      };
    },
  };
}
