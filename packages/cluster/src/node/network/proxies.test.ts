import { createServer } from 'node:http';
import { get } from 'node:https';
import { expect, test } from 'vitest';
import { masters } from '../../apiserver/authorization/index.ts';
import type { NodeConnection } from '../../apiserver/index.ts';
import { dialTcp } from './dial.ts';
import { eventually, TestNetwork } from './test-network.ts';

test('the proxies of the API server lead to pods and nodes in the loopback range', async () => {
  await using world = await TestNetwork.start();
  const pod = await world.pod('web');
  const web = createServer((request, response) => response.end(`pod ${request.url}`));
  const node = createServer((request, response) => response.end(`node ${request.url}`));
  const { address } = await world.network.joinNode('node-1');
  await new Promise<void>((resolve) => web.listen({ host: pod.ip, port: 8080 }, resolve));
  await new Promise<void>((resolve) => node.listen({ host: address, port: 9000 }, resolve));
  try {
    const connection: Partial<NodeConnection> = {
      dial: (_pod, port, signal) => pod.dial(port, signal),
      dialNode: (port = 0, signal) => dialTcp(address, port, signal),
    };
    world.connections.set('node-1', connection as NodeConnection);
    await world.service('web', { ports: [{ port: 80, targetPort: 8080 }] });
    const { authority, port } = world.server;
    const identity = authority.issueClient({ name: 'admin', groups: [masters] });
    const ask = (path: string) =>
      new Promise<string>((resolve, reject) => {
        const request = get({ host: '127.0.0.1', port, path, ca: authority.cert, ...identity }, async (answer) => {
          let text = '';
          for await (const chunk of answer) text += String(chunk);
          resolve(text);
        });
        request.once('error', reject);
      });
    const pods = '/api/v1/namespaces/default';
    expect(await ask(`${pods}/pods/web:8080/proxy/a`)).toBe('pod /a');
    await eventually(async () => expect(await ask(`${pods}/services/web:80/proxy/b`)).toBe('pod /b'));
    expect(await ask('/api/v1/nodes/node-1:9000/proxy/c')).toBe('node /c');
  } finally {
    web.close();
    node.close();
  }
});
