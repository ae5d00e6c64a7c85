import { apiError } from '@coxswain/runtime/core';
import type { NodeConnections } from '../../nodes.ts';
import type { SubresourceHandler } from '../../types.ts';
import { findPod, referenceOf } from './find-pod.ts';
import { logQuery } from './log-options.ts';
import { containerOf } from './pod-container.ts';
import { connectionRefused, nodeOf } from './reach.ts';
import { refusedLog } from './refused.ts';

async function* nothing(): AsyncGenerator<Uint8Array> {}

const never = new AbortController().signal;

/** `pods/log`: what a container has written, from the node it is on. */
export function podLog(nodes: NodeConnections): SubresourceHandler {
  return {
    resource: '/pods',
    name: 'log',
    verbs: ['get'],
    async handle({ request, namespace, name, context: { clock, storage } }) {
      const query = logQuery(request, name, clock);
      const pod = findPod(storage, namespace, name);
      const container = containerOf(pod, query.container);
      const node = nodeOf(nodes, storage, pod);
      if (!node) return { kind: 'bytes', code: 204, body: nothing() };
      if (!node.connection) {
        const path = `containerLogs/${namespace}/${name}/${container}`;
        const url = `https://${node.host}:${node.port}/${path}${query.text}`;
        throw apiError(500, '', `Get ${JSON.stringify(url)}: ${connectionRefused(node)}`);
      }
      const reference = { ...referenceOf(pod), container };
      try {
        const body = await node.connection.logs(reference, query.options, request.signal ?? never);
        return { kind: 'bytes', code: 200, body, headers: { 'Content-Type': 'text/plain' } };
      } catch (error) {
        throw refusedLog(error, name);
      }
    },
  };
}
