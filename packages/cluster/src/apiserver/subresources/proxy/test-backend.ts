import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import type { NodeConnection } from '../../nodes.ts';

/** An HTTP server without a socket, behind the given port of any pod of a node. */
export function backendNode(
  port: number,
  listener: RequestListener,
): { readonly node: NodeConnection; readonly server: Server } {
  const server = createServer(listener);
  const refuse = async () => {
    throw new Error('not asked for');
  };
  const node: NodeConnection = {
    logs: refuse,
    exec: refuse,
    attach: refuse,
    dialNode: refuse,
    async dial(pod, wanted) {
      if (wanted !== port) throw new Error(`dial tcp ${pod.name}:${wanted}: connect: connection refused`);
      const [ours, theirs] = duplexPair();
      server.emit('connection', theirs);
      return ours;
    },
  };
  return { node, server };
}
