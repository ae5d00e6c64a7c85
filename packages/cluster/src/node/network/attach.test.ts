import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '@coxswain/k8s';
import { seededRandom } from '@coxswain/runtime/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimBlock } from './addresses/block.ts';
import { eventually, TestNetwork } from './test-network.ts';

let world: TestNetwork;
beforeEach(async () => {
  world = await TestNetwork.start();
});
afterEach(() => world[Symbol.asyncDispose]());

const annotated = (name: string, text: string) => ({ annotations: { [name]: text } });

test('each pod has an address of its node, and one that was given back is not the next', async () => {
  const { podRange } = await world.network.joinNode('node-1');
  const prefix = podRange.replace('.0/24', '.');
  const first = await world.pod('a');
  const second = await world.pod('b');
  expect([first.ip, second.ip]).toEqual([`${prefix}1`, `${prefix}2`]);
  await first.detach();
  expect((await world.pod('c')).ip).toBe(`${prefix}3`);
  await world.addNode('node-2');
  const elsewhere = await world.pod('d', { nodeName: 'node-2' });
  expect(elsewhere.ip.startsWith(prefix)).toBe(false);
});

test('a pod that shares the network of its node has its address and its names', async () => {
  const { address } = await world.network.joinNode('node-1');
  const pod = await world.pod('host', { hostNetwork: true });
  expect(pod.ip).toBe(address);
  expect(await readFile(pod.files.hostname, 'utf8')).toBe('node-1\n');
  const hosts = await readFile(pod.files.hosts, 'utf8');
  const machine = await readFile('/etc/hosts', 'utf8');
  expect(hosts.startsWith(`# Kubernetes-managed hosts file (host network).\n${machine}`)).toBe(true);
});

test.each([
  ['coxswain.io/pod-ip', '127.9.9.9'],
  ['cni.projectcalico.org/ipAddrs', '["127.9.9.9"]'],
])('a pod gets the address that it declares (%s), and nobody else', async (name, text) => {
  const pod = await world.pod('a', {}, annotated(name, text));
  expect(pod.ip).toBe('127.9.9.9');
  await expect(world.pod('b', {}, annotated(name, text))).rejects.toMatchObject({
    reason: 'FailedCreatePodSandBox',
    message: expect.stringContaining('address 127.9.9.9, which the pod declares, is in use by another pod'),
  });
  await pod.detach();
  expect((await world.pod('c', {}, annotated(name, text))).ip).toBe('127.9.9.9');
});

test.each([
  ['coxswain.io/pod-ip', 'x', 'asks for "x", which is no IPv4 address'],
  ['coxswain.io/pod-ip', '127.0.0.1', 'is not one for pods'],
  ['cni.projectcalico.org/ipAddrs', '127.9.9.9', 'must be a list of one IPv4 address'],
  ['cni.projectcalico.org/ipAddrs', '["127.9.9.9","127.9.9.8"]', 'must be a list of one IPv4 address'],
])('an address that cannot be had (%s: %s) is refused in words', async (name, text, message) => {
  await expect(world.pod('a', {}, annotated(name, text))).rejects.toMatchObject({
    reason: 'FailedCreatePodSandBox',
    message: expect.stringContaining(message),
  });
});

test('a pod has the names that a kubelet gives it', async () => {
  const pod = await world.pod('web-0', {
    hostname: 'web-0',
    subdomain: 'web',
    hostAliases: [{ ip: '10.1.2.3', hostnames: ['foo.local', 'bar.local'] }],
  });
  const hosts = await readFile(pod.files.hosts, 'utf8');
  expect(hosts).toContain('# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n');
  expect(hosts).toContain(`${pod.ip}\tweb-0.web.default.svc.cluster.local\tweb-0\n`);
  expect(hosts).toContain('\n# Entries added by HostAliases.\n10.1.2.3\tfoo.local\tbar.local\n');
  expect(await readFile(pod.files.hostname, 'utf8')).toBe('web-0\n');
  const resolv = await readFile(pod.files.resolvConf, 'utf8');
  expect(resolv).toMatch(/^search default\.svc\.cluster\.local svc\.cluster\.local cluster\.local/);
  expect(resolv).toMatch(/^options ndots:5$/m);
});

test('two clusters on one machine do not share addresses, and an earlier range is had again', async () => {
  const random = seededRandom(1);
  const first = await claimBlock(random);
  const second = await claimBlock(seededRandom(1));
  expect(second.serviceRange).not.toBe(first.serviceRange);
  await expect(claimBlock(random, first.serviceRange)).rejects.toThrow('in use by another cluster on this machine');
  await first.release();
  const again = await claimBlock(random, first.serviceRange);
  expect(again.serviceRange).toBe(first.serviceRange);
  for (const block of [second, again]) await block.release();
  await expect(claimBlock(random, '10.96.0.0/16')).rejects.toThrow('start with a new data directory');
});

test('addresses of another network are taken where the machine has them by itself', async () => {
  await expect(claimBlock(seededRandom(1), undefined, 100)).rejects.toThrow(
    /pods cannot have addresses in 100\.0\.0\.0\/8 on this machine \(100\.\d+\.0\.254: .*EADDRNOTAVAIL/,
  );
  const block = await claimBlock(seededRandom(1));
  expect([block.has('127.0.0.1'), block.has(block.nodeAddress(1)), block.has('100.64.0.1')]).toEqual([
    true,
    true,
    false,
  ]);
  await block.release();
});

test('a cluster that starts again keeps its addresses, and gives none of them away', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'coxswain-'));
  try {
    let before: { readonly ip: string; readonly address: string };
    {
      await using first = await TestNetwork.start({ dataDir });
      const { address } = await first.network.joinNode('node-1');
      before = { ip: (await first.pod('old')).ip, address };
    }
    await using second = await TestNetwork.start({ dataDir });
    expect((await second.network.joinNode('node-1')).address).toBe(before.address);
    const fresh = await second.pod('fresh');
    expect(fresh.ip).not.toBe(before.ip);
    expect((await second.adopt('old')).ip).toBe(before.ip);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('without a name server the hosts files of pods have the names of Services, as they are now', async () => {
  await using other = await TestNetwork.start({}, { nameServer: false });
  const pod = await other.pod('a');
  const hosts = () => readFile(pod.files.hosts, 'utf8');
  const kubernetes = await other.client.of(Service).get({ namespace: 'default', name: 'kubernetes' });
  const all = ['kubernetes.default.svc.cluster.local', 'kubernetes.default.svc', 'kubernetes.default', 'kubernetes'];
  expect(await hosts()).toContain(`${[kubernetes.spec?.clusterIP, ...all].join('\t')}\n`);
  expect(await readFile(pod.files.resolvConf, 'utf8')).not.toContain('nameserver 127.');
  await other.service('db', { clusterIP: 'None', ports: [{ port: 5432 }] });
  const db = await other.pod('db-0', { hostname: 'db-0', subdomain: 'db' }, { labels: { app: 'db' } });
  const names = (name: string) => ['.svc.cluster.local', '.svc', ''].map((end) => `${name}.default${end}`);
  await eventually(async () => {
    const lines = (await hosts()).split('\n');
    expect(lines).toContain([db.ip, ...names('db'), 'db'].join('\t'));
    expect(lines).toContain([db.ip, ...names('db-0.db'), 'db-0.db'].join('\t'));
  });
  expect(await other.client.of(Service).find({ namespace: 'kube-system', name: 'kube-dns' })).toBeUndefined();
  await other.client.of(Service).delete({ namespace: 'default', name: 'db' });
  await eventually(async () => expect(await hosts()).not.toContain('db'));
});
