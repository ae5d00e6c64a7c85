import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kind, type KubeObject, Node, Pod, type PodSpec, Service } from '@coxswain/k8s';
import { type Client, createClient, merge } from '@coxswain/runtime/client';
import { type Random, seededRandom, silentLogger, systemClock } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { controlPlaneUsers, masters } from '../../apiserver/authorization/index.ts';
import type { NodeConnection } from '../../apiserver/index.ts';
import { endpointsControllers } from '../../controllers/endpoints/index.ts';
import { type EmbeddedServer, startServer } from '../../embedded-server.ts';
import type { ClusterOptions, ClusterUser } from '../../types.ts';
import { dialTcp } from './dial.ts';
import { ProcessNetwork } from './network.ts';
import type { PodAttachment } from './types.ts';

/** Asks again, giving sockets and watches their turn, until there is no error; the test's own time limit ends it. */
export async function eventually<T>(ask: () => Promise<T> | T): Promise<T> {
  for (let i = 0; ; i++) {
    try {
      return await ask();
    } catch (error) {
      if (i > 200_000) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

interface TestNetworkOptions {
  /** False: somebody else listens where it would be. Default true. */
  readonly nameServer?: boolean;
  /** Default 1. */
  readonly seed?: number;
  /** Where pods have their addresses, each in a namespace. Default: they have none of their own. */
  readonly podCIDR?: string;
}

/** An API server, the controller of endpoints and a network of pods over real sockets. Who plays the kubelet is the test. */
export class TestNetwork implements AsyncDisposable {
  readonly namespace = 'default';
  readonly connections = new Map<string, NodeConnection>();
  readonly network: ProcessNetwork;
  /** The user namespace that pods live in, when it is another one. */
  user: string | undefined;
  readonly #random: Random;
  readonly #attachments = new Map<string, PodAttachment>();
  readonly #servers = new Set<Server>();
  readonly #managers: Manager[] = [];
  #server: EmbeddedServer | undefined;
  #directory = '';

  private constructor({ podCIDR, seed = 1 }: TestNetworkOptions) {
    this.#random = seededRandom(seed);
    const range = podCIDR === undefined ? {} : { podCIDR };
    this.network = new ProcessNetwork({ clock: systemClock, random: this.#random, log: silentLogger, ...range });
  }

  static async start(options: ClusterOptions = {}, own: TestNetworkOptions = {}): Promise<TestNetwork> {
    const { nameServer = true } = own;
    const world = new TestNetwork(own);
    world.#directory = await mkdtemp(join(tmpdir(), 'coxswain-network-'));
    world.#server = await startServer({
      clock: systemClock,
      random: world.#random,
      log: silentLogger,
      options: { port: 0, ...options },
      nodes: world.connections,
      loopbackPods: async (stored) => {
        const network = await world.network.claim(stored);
        const range = network.serviceRange;
        const taken = nameServer
          ? undefined
          : world.listen(range.replace('0.0/16', '0.10'), 53, (socket) => socket.end());
        // Who may not listen there keeps the name server from it, too.
        await taken?.catch(() => {});
        return network;
      },
    });
    const controllers = world.#manager(controlPlaneUsers.controllers);
    endpointsControllers(controllers);
    world.network.run(world.#manager(controlPlaneUsers.network), world.connections);
    await Promise.all(world.#managers.map((manager) => manager.start()));
    await world.addNode('node-1');
    return world;
  }

  get server(): EmbeddedServer {
    if (!this.#server) throw new Error('the server has not started');
    return this.#server;
  }

  get client(): Client {
    return this.#client({ name: 'admin', groups: [masters] });
  }

  async addNode(name: string): Promise<string> {
    const { address, podRange } = await this.network.joinNode(name);
    const addresses = [{ type: 'InternalIP', address }];
    if (!(await this.client.of(Node).find({ name }))) {
      await this.create(Node, { metadata: { name }, spec: { podCIDR: podRange } });
    }
    await this.client.of(Node).patch({ name }, merge({ status: { addresses } }), { subresource: 'status' });
    return address;
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: object): Promise<T> {
    const { metadata, ...rest } = object as { readonly metadata: object };
    const scope = kind.scope === 'Namespaced' ? { namespace: this.namespace } : {};
    return this.client.of(kind).create({ metadata: { ...scope, ...metadata }, ...rest } as unknown as T);
  }

  /** Makes a pod and attaches it. Its labels are `app: NAME` unless others are given. */
  async pod(
    name: string,
    spec: Partial<PodSpec> = {},
    metadata: object = {},
  ): Promise<PodAttachment & { readonly ip: string }> {
    const pod = await this.create(Pod, {
      metadata: { name, labels: { app: name }, ...metadata },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'app:1' }], ...spec },
    });
    const attachment = await this.#attach(pod);
    await this.setReady(name, true);
    return attachment;
  }

  /** Attaches a pod that is there from an earlier start. */
  async adopt(name: string): Promise<PodAttachment & { readonly ip: string }> {
    return this.#attach(await this.client.of(Pod).get({ namespace: this.namespace, name }));
  }

  async #attach(pod: Pod): Promise<PodAttachment & { readonly ip: string }> {
    const directory = await mkdtemp(join(this.#directory, 'pod-'));
    const attachment = await this.network.attach(pod, directory, this.user);
    this.#attachments.set(pod.metadata.name, attachment);
    return { ...attachment, ip: attachment.addresses[0] };
  }

  async setReady(name: string, ready: boolean): Promise<void> {
    const ips = this.#attachments.get(name)?.addresses ?? [];
    const status = {
      phase: 'Running',
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    };
    await this.setStatus(name, status);
  }

  async setStatus(name: string, status: object): Promise<void> {
    const key = { namespace: this.namespace, name };
    await this.client.of(Pod).patch(key, merge({ status }), { subresource: 'status' });
  }

  /** Asks for a pod to be deleted; it stays until its grace is over, as one with a kubelet does. */
  async setTerminating(name: string): Promise<void> {
    await this.client.of(Pod).delete({ namespace: this.namespace, name }, { gracePeriodSeconds: 30 });
  }

  async service(name: string, spec: object): Promise<Service> {
    return this.create(Service, { metadata: { name }, spec: { selector: { app: name }, ...spec } });
  }

  /** Listens at an address until the world ends. */
  async listen(address: string, port: number, serve: (socket: Socket) => void): Promise<Server> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      serve(socket);
    });
    this.#servers.add(server);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host: address, port }, resolve));
    return server;
  }

  /** Connects, sends a text, and answers all that comes back. */
  async ask(address: string, port: number, text = ''): Promise<string> {
    const socket = await dialTcp(address, port, new AbortController().signal);
    socket.end(text);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const manager of this.#managers.toReversed()) await manager.stop();
    await this.network.close();
    await this.#server?.close();
    for (const server of this.#servers) server.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #manager(user: ClusterUser): Manager {
    const manager = createManager({
      client: this.#client(user),
      name: user.name,
      clock: systemClock,
      random: this.#random,
      log: silentLogger,
    });
    this.#managers.push(manager);
    return manager;
  }

  #client({ name, groups = [] }: ClusterUser): Client {
    const transport = this.server.transport({ name, groups });
    return createClient({ transport, fieldManager: 'test', userAgent: name, clock: systemClock });
  }
}
