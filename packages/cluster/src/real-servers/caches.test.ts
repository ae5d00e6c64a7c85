import { access, constants } from 'node:fs/promises';
import { connect } from 'node:net';
import { type Container, Deployment, Pod, Service, StatefulSet } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { ServerWorld } from './test-world.ts';

const installed = (program: string) =>
  access(`/usr/bin/${program}`, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Says something to a server, and returns what it answers once that ends as expected. */
function talk(host: string, port: number, words: string, end: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal: AbortSignal.timeout(5_000) });
    let heard = '';
    socket.once('error', reject).once('close', () => reject(new Error(`closed after ${JSON.stringify(heard)}`)));
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
      if (!end.test(heard)) return;
      resolve(heard);
      socket.destroy();
    });
    socket.write(words);
  });
}

const labels = (app: string) => ({ matchLabels: { app } });

async function service(world: ServerWorld, name: string, port: number): Promise<string> {
  const spec = { selector: { app: name }, ports: [{ port }] };
  const { spec: made } = await world.create(Service, { metadata: { name }, spec });
  return made?.clusterIP ?? '';
}

function container(name: string, port: number, more: Partial<Container> = {}): Container {
  const readinessProbe = { tcpSocket: { port }, periodSeconds: 1 };
  return { name, image: name, ports: [{ containerPort: port }], readinessProbe, ...more };
}

/** Where the machine does not have the program, the pod says what to install. */
async function expectHint(world: ServerWorld, app: string): Promise<void> {
  const message = await world.until('a refusal', async () => {
    for await (const { metadata, status } of world.cluster.client.of(Pod).listAll()) {
      const waiting = status?.containerStatuses?.[0]?.state?.waiting;
      if (metadata.labels?.['app'] === app && waiting?.reason === 'ErrImagePull') return waiting.message;
    }
    return undefined;
  });
  expect(message).toContain('apt-get install');
}

test('redis has its data again when its pod is deleted', { timeout: 120_000 }, async () => {
  await using world = await ServerWorld.start();
  const host = await service(world, 'redis', 6379);
  const main = container('redis', 6379, {
    args: ['--protected-mode', 'no', '--appendonly', 'yes', '--appendfsync', 'always', '--dir', '/data'],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  });
  await world.create(StatefulSet, {
    metadata: { name: 'redis' },
    spec: {
      serviceName: 'redis',
      replicas: 1,
      selector: labels('redis'),
      template: { metadata: { labels: { app: 'redis' } }, spec: { containers: [main] } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } },
        },
      ],
    },
  });
  if (!(await installed('redis-server'))) return await expectHint(world, 'redis');
  const say = (words: string, end: RegExp) => talk(host, 6379, `${words}\r\n`, end);
  await world.until('a write', () => say('SET ship Argo', /^\+OK\r\n$/));
  expect(await say('GET ship', /Argo\r\n$/)).toBe('$4\r\nArgo\r\n');
  const { metadata } = await world.get(Pod, 'redis-0');
  await world.cluster.client.of(Pod).delete({ namespace: 'default', name: 'redis-0' });
  await world.until('another pod', async () => {
    const pod = await world.get(Pod, 'redis-0');
    return pod.metadata.uid !== metadata.uid ? pod : undefined;
  });
  expect(await world.until('the data', () => say('GET ship', /^\$(4\r\nArgo|-1)\r\n$/))).toBe('$4\r\nArgo\r\n');
});

test('memcached is written and read through its Service', { timeout: 120_000 }, async () => {
  await using world = await ServerWorld.start();
  const host = await service(world, 'memcached', 11211);
  await world.create(Deployment, {
    metadata: { name: 'memcached' },
    spec: {
      replicas: 1,
      selector: labels('memcached'),
      template: { metadata: { labels: { app: 'memcached' } }, spec: { containers: [container('memcached', 11211)] } },
    },
  });
  if (!(await installed('memcached'))) return await expectHint(world, 'memcached');
  await world.until('a write', () => talk(host, 11211, 'set ship 0 0 4\r\nArgo\r\n', /^STORED\r\n$/));
  expect(await talk(host, 11211, 'get ship\r\n', /END\r\n$/)).toBe('VALUE ship 0 4\r\nArgo\r\nEND\r\n');
});
