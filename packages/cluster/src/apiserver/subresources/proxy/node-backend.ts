import { isIP } from 'node:net';
import { badRequest } from '@coxswain/runtime/core';
import type { Storage } from '../../../storage/types.ts';
import { connectionRefused, reachNode } from '../connect/index.ts';
import { isProxied } from './address.ts';
import { type Backend, hostText, portNumber } from './backend.ts';
import type { ProxyContext } from './proxy-context.ts';
import { readTarget } from './target.ts';

/** The server that `nodes/NAME/proxy` names: without a port, or with the port of the node's own server, that one. @throws ApiError */
export function namedNode(
  { nodes, loopbackPods = false }: Pick<ProxyContext, 'nodes' | 'loopbackPods'>,
  storage: Storage,
  text: string,
): Backend {
  const target = readTarget(text);
  if (!target) throw badRequest(`invalid node request ${JSON.stringify(text)}`);
  const node = reachNode(nodes, storage, target.name, { group: '', plural: 'nodes' });
  if (isIP(node.host) !== 0 && !isProxied(node.host, loopbackPods)) throw badRequest('address not allowed');
  const own = target.port === '' || target.port === String(node.port);
  // A node's own server is spoken to in the open: the connection is the node's business.
  const scheme = !own && target.scheme === 'https' ? 'https' : 'http';
  return {
    scheme,
    host: hostText(node.host, own ? node.port : target.port),
    async connect(signal) {
      const port = own ? undefined : portNumber(target.port, scheme);
      if (!node.connection) throw new Error(connectionRefused({ host: node.host, port: port ?? node.port }));
      return node.connection.dialNode(port, signal);
    },
  };
}
