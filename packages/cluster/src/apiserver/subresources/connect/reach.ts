import type { Node, Pod } from '@coxswain/k8s';
import { apiError, notFound, type ResourceRef } from '@coxswain/runtime/core';
import type { Storage } from '../../../storage/types.ts';
import type { NodeConnection, NodeConnections } from '../../nodes.ts';

/** A node as the API server finds it. */
export interface ReachedNode {
  /** Absent when nobody answers there. */
  readonly connection: NodeConnection | undefined;
  readonly host: string;
  /** Of the node's own server. */
  readonly port: number;
}

/** By these addresses a node is reached, the first that it has. */
const preferred = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/**
 * Finds a node.
 * @param asked what the error calls a node that is not there
 * @throws ApiError NotFound, or 500 when the node has no address
 */
export function reachNode(nodes: NodeConnections, storage: Storage, name: string, asked: ResourceRef): ReachedNode {
  const node = storage.get({ resource: '/nodes', namespace: '', name }) as Node | undefined;
  if (!node) throw notFound(asked, name);
  const { addresses = [], daemonEndpoints } = node.status ?? {};
  const address = preferred.flatMap((type) => addresses.find((one) => one.type === type) ?? [])[0];
  if (!address) {
    const known = addresses.map((one) => `{${one.type} ${one.address}}`).join(' ');
    throw apiError(500, '', `no preferred addresses found; known addresses: [${known}]`);
  }
  return {
    connection: nodes.get(name),
    host: address.address,
    port: daemonEndpoints?.kubeletEndpoint?.Port || 10_250,
  };
}

/** The node of a pod; `undefined` when it has none yet. @throws ApiError as {@link reachNode} */
export function nodeOf(nodes: NodeConnections, storage: Storage, pod: Pod): ReachedNode | undefined {
  const name = pod.spec?.nodeName ?? '';
  // A missing node is told as if it were a pod.
  return name === '' ? undefined : reachNode(nodes, storage, name, { group: '', plural: 'pods' });
}

/** What Go says about a port where nobody listens. */
export function connectionRefused({ host, port }: Pick<ReachedNode, 'host' | 'port'>): string {
  return `dial tcp ${host}:${port}: connect: connection refused`;
}
