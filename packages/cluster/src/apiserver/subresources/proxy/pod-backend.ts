import type { Pod } from '@coxswain/k8s';
import { badRequest } from '@coxswain/runtime/core';
import type { Storage } from '../../../storage/types.ts';
import type { NodeConnections } from '../../nodes.ts';
import { findPod, referenceOf } from '../connect/index.ts';
import { isProxied } from './address.ts';
import { type Backend, hostText, portNumber } from './backend.ts';
import type { ProxyContext } from './proxy-context.ts';
import { readTarget } from './target.ts';

/** A port of a pod, through the node it is on. */
export function podBackend(
  nodes: NodeConnections,
  pod: Pod,
  { scheme, address, port }: { readonly scheme: string; readonly address: string; readonly port: string },
): Backend {
  const protocol = scheme === 'https' ? 'https' : 'http';
  return {
    scheme: protocol,
    host: hostText(address, port),
    async connect(signal) {
      const number = portNumber(port, protocol);
      const connection = nodes.get(pod.spec?.nodeName ?? '');
      if (!connection) throw new Error(`dial tcp ${hostText(address, number)}: connect: no route to host`);
      return connection.dial(referenceOf(pod), number, signal);
    },
  };
}

/** The server that `pods/NAME/proxy` names. Without a port the first one that the pod declares. @throws ApiError */
export function namedPod(
  { nodes, loopbackPods = false }: Pick<ProxyContext, 'nodes' | 'loopbackPods'>,
  storage: Storage,
  namespace: string,
  text: string,
): Backend {
  const target = readTarget(text);
  if (!target) throw badRequest(`invalid pod request ${JSON.stringify(text)}`);
  const pod = findPod(storage, namespace, target.name);
  const declared = (pod.spec?.containers ?? []).flatMap(({ ports = [] }) => ports.slice(0, 1))[0]?.containerPort;
  const address = pod.status?.podIPs?.[0]?.ip ?? '';
  if (!isProxied(address, loopbackPods)) throw badRequest('address not allowed');
  return podBackend(nodes, pod, { scheme: target.scheme, address, port: target.port || String(declared ?? '') });
}
