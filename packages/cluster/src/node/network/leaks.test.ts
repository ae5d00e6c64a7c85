import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Pod, Service } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { dialTcp } from './dial.ts';
import { eventually, TestNetwork } from './test-network.ts';

const openFiles = (): number => readdirSync('/proc/self/fd').length;
const allowed = spawnSync('unshare', process.getuid?.() === 0 ? ['-n', 'true'] : ['-Urn', 'true']).status === 0;

test.each([
  ['of the machine', 40, {}],
  ['in namespaces', 5, { annotations: { 'coxswain.io/pod-ip': '192.168.7.7' } }],
])('pods %s and Services come and go, and no file is left open', async (what, rounds, metadata) => {
  if (what === 'in namespaces' && !allowed) return;
  await using world = await TestNetwork.start();
  const round = async (i: number) => {
    const name = `web-${i}`;
    const { spec } = await world.service(name, {
      ports: [
        { name: 'tcp', port: 8000 },
        { name: 'udp', port: 8000, protocol: 'UDP' },
      ],
    });
    const pod = await world.pod(name, {}, { labels: { app: name }, ...metadata });
    const host = spec?.clusterIP ?? '';
    const client = await eventually(() => dialTcp(host, 8000, new AbortController().signal));
    client.destroy();
    await pod.drain();
    await world.client.of(Pod).delete({ namespace: 'default', name }, { gracePeriodSeconds: 0 });
    await world.client.of(Service).delete({ namespace: 'default', name });
    await pod.detach();
    await eventually(() => expect(dialTcp(host, 8000, new AbortController().signal)).rejects.toThrow('refused'));
  };
  await round(0);
  const before = openFiles();
  for (let i = 1; i <= rounds; i++) await round(i);
  await eventually(() => expect(openFiles()).toBeLessThanOrEqual(before));
});
