import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Node } from '@coxswain/k8s';
import { type Client, createClient, httpTransport, loadKubeconfig } from '@coxswain/runtime/client';
import { type Clock, sleep, systemClock } from '@coxswain/runtime/core';
import { missingGoPrograms } from '../go-programs/index.ts';
import { addresses } from './addresses.ts';
import { kubeconfigOf, type Plane, startPlane } from './control-plane.ts';
import { writeImages } from './images.ts';
import { prefix, removeLeftovers } from './leftovers.ts';
import { type Machine, startNetwork } from './machine.ts';
import { RealNode } from './real-node.ts';
import { missingForRealCluster, realPrograms } from './requirements.ts';

/** How large a real cluster is; all of it optional. */
export interface RealClusterOptions {
  /** Default 2; at most 9. */
  readonly nodes?: number;
  /** Milliseconds each program, and each node, may take until it is ready; default 120 000. */
  readonly timeout?: number;
  readonly clock?: Clock;
}

/** A real Kubernetes: control plane, and nodes that run containers. */
export interface RealCluster {
  /** As an administrator (`system:masters`). */
  readonly client: Client;
  /** `node-1`, `node-2`, … */
  readonly nodes: readonly string[];
  /** A kubeconfig (YAML) for the administrator, by loopback. Holds a secret. */
  kubeconfig(): string;
  /** Ends a node without a word, as when somebody pulls the plug. Its disk stays. */
  powerOff(node: string): Promise<void>;
  /** Starts it again. It is Ready some time later. */
  powerOn(node: string): Promise<void>;
  /** Ends everything and removes it. May be called twice. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const admin = 'admin';

function tokensFor(nodes: number): Plane['tokens'] {
  const users: readonly (readonly [string, readonly string[]])[] = [
    [admin, ['system:masters']],
    ['system:kube-controller-manager', []],
    ['system:kube-scheduler', []],
    ['system:kube-proxy', []],
    ...Array.from({ length: nodes }, (_, i) => [`system:node:node-${i + 1}`, ['system:nodes']] as const),
  ];
  return new Map(users.map(([user, groups]) => [user, { token: randomBytes(16).toString('hex'), groups }]));
}

/** The bridge that nodes are plugged into. Nothing leaves it. */
async function wire(network: Machine): Promise<void> {
  await network.run(['ip', 'link', 'set', 'lo', 'up']);
  await network.run(['ip', 'link', 'add', 'bridge0', 'type', 'bridge']);
  await network.run(['ip', 'addr', 'add', `${addresses.controlPlane}/24`, 'dev', 'bridge0']);
  await network.run(['ip', 'link', 'set', 'bridge0', 'up']);
  await network.run(['ip', 'route', 'add', 'default', 'dev', 'bridge0']);
  // services are reached through the first node
  await network.run(['ip', 'route', 'add', addresses.services, 'via', addresses.node(1)]);
  await network.run(['sh', '-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward']);
}

/** A door from this machine's loopback into the network: files are common to both, so there is a socket in a file between them. */
async function door(network: Machine, folder: string): Promise<{ readonly port: number; close(): Promise<void> }> {
  const path = join(folder, 'door.sock');
  const inner = network.start('socat', ['socat', `UNIX-LISTEN:${path},fork,mode=600`, 'TCP:127.0.0.1:6443']);
  const server = createServer((socket) => {
    const through = connect(path);
    socket.pipe(through).pipe(socket);
    socket.once('error', () => through.destroy());
    through.once('error', () => socket.destroy());
    socket.once('close', () => through.destroy());
    through.once('close', () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      await inner.stop();
    },
  };
}

async function untilNodesReady(client: Client, clock: Clock, names: readonly string[], limit: number): Promise<void> {
  const end = clock.monotonic() + limit;
  for (;;) {
    const { items } = await client.of(Node).list();
    const ready = items
      .filter((node) => node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'))
      // the taint of a node that is not ready goes a little later
      .filter((node) => !node.spec?.taints?.length)
      .map(({ metadata }) => metadata.name);
    const missing = names.filter((name) => !ready.includes(name));
    if (missing.length === 0) return;
    if (clock.monotonic() > end) throw new Error(`${missing.join(' and ')} not Ready after ${limit / 1000}s`);
    await sleep(clock, 200);
  }
}

async function refuseWithoutParts(): Promise<void> {
  const missing = [...(await missingForRealCluster()), ...(await missingGoPrograms(realPrograms))];
  if (missing.length > 0) throw new Error(`no real cluster here; missing: ${missing.join(', ')}`);
}

/**
 * Starts a real Kubernetes with nodes, in namespaces of their own. It ends with this process, however that ends.
 * @throws Error naming what is missing, or what the program said that did not come up
 */
export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const { nodes: count = 2, timeout: limit = 120_000, clock = systemClock } = options;
  await refuseWithoutParts();
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), `${prefix}-${process.pid}-`));
  const closers: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  const stop = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const network = await startNetwork(clock, 'network');
    closers.push(() => network.kill());
    await wire(network);
    const { port, close } = await door(network, folder);
    closers.push(close);
    const plane: Plane = { clock, machine: network, folder, tokens: tokensFor(count) };
    const url = `https://127.0.0.1:${port}`;
    let client: Client | undefined;
    const ready = async () => {
      try {
        const transport = httpTransport(await loadKubeconfig({ text: await kubeconfigOf(plane, admin, url) }));
        const one = createClient({ transport, fieldManager: admin, userAgent: admin, clock });
        await one.raw({ method: 'GET', path: '/readyz' }).catch(async (error) => {
          await transport.close();
          throw error;
        });
        closers.push(() => transport.close());
        client = one;
        return true;
      } catch {
        return false;
      }
    };
    const children = await startPlane(plane, ready, limit);
    for (const child of children) closers.push(() => child.stop());
    if (!client) throw new Error('the API server never answered');
    const images = await writeImages(join(folder, 'images'));
    const inside = (user: string) => kubeconfigOf(plane, user, `https://${addresses.controlPlane}:6443`);
    const nodes = new Map<string, RealNode>();
    for (let number = 1; number <= count; number++) {
      const kubeconfigs = {
        kubelet: await inside(`system:node:node-${number}`),
        proxy: await inside('system:kube-proxy'),
      };
      const own = join(folder, `node-${number}`);
      const node = new RealNode({ clock, number, folder: own, network, images, kubeconfigs, limit });
      nodes.set(node.name, node);
      closers.push(() => node.powerOff());
    }
    await Promise.all([...nodes.values()].map((node) => node.powerOn()));
    await untilNodesReady(client, clock, [...nodes.keys()], limit);
    const nodeOf = (name: string): RealNode => {
      const node = nodes.get(name);
      if (!node) throw new Error(`there is no node ${name}; there are ${[...nodes.keys()].join(', ')}`);
      return node;
    };
    const config = await kubeconfigOf(plane, admin, url);
    return {
      client,
      nodes: [...nodes.keys()],
      kubeconfig: () => config,
      powerOff: (name) => nodeOf(name).powerOff(),
      powerOn: (name) => nodeOf(name).powerOn(),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
