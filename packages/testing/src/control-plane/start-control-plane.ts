import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, httpTransport, loadKubeconfig, type Transport } from '@coxswain/runtime/client';
import { type Clock, systemClock } from '@coxswain/runtime/core';
import { type GoProgram, missingGoPrograms } from '../go-programs/index.ts';
import { tokenKubeconfig } from '../token-kubeconfig.ts';
import { auditFlags, type RefusedRequest, refusedIn } from './audit.ts';
import { type Child, freePort, untilReady } from './child.ts';
import {
  certificateOf,
  type PlaneSettings,
  startApiserver,
  startControllerManager,
  startEtcd,
  writeSecrets,
} from './programs.ts';

/** Of a real etcd and kube-apiserver; all of it optional. */
export interface ControlPlaneOptions {
  /** Milliseconds each program may take until it is ready; default 120 000. */
  readonly timeout?: number;
  readonly clock?: Clock;
  /** Admission plug-ins that a plain Kubernetes leaves off, too: `OwnerReferencesPermissionEnforcement`. Default: none. */
  readonly admissionPlugins?: readonly string[];
  /** Where Services have their addresses; default `10.96.0.0/16`. */
  readonly serviceRange?: string;
  /** An address of this machine, not one of 127.0.0.0/8, where pods find the API server. Default: it listens on loopback only. */
  readonly address?: string;
  /** Whether kube-controller-manager runs, each of its controllers with permissions of its own. Default false. */
  readonly controllers?: boolean;
  /** Whether every answer is noted, for {@link ControlPlane.refused}. Default false. */
  readonly audit?: boolean;
}

/** A real etcd and kube-apiserver, empty, with nothing else running but what was asked for. */
export interface ControlPlane {
  /** As an administrator (`system:masters`). */
  readonly client: Client;
  readonly transport: Transport;
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** `http://127.0.0.1:PORT` of etcd, whose JSON gateway is open to all on this machine. */
  readonly etcdUrl: string;
  /** What was refused so far, to whom, and why; conflicts and what is not there aside. Only with `audit`. */
  refused(): Promise<readonly RefusedRequest[]>;
  /** Process ids of etcd, kube-apiserver and kube-controller-manager. */
  readonly pids: readonly number[];
  /** Ends kube-apiserver as a power cut does (SIGKILL) and starts it again, at the same address. Resolves when it is ready. */
  crashApiserver(): Promise<void>;
  /** A kubeconfig (YAML) for the administrator. Holds a secret. */
  kubeconfig(): string;
  /** Ends both programs and removes their data. May be called twice. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const admin = 'admin';
const controllerManager = 'system:kube-controller-manager';

/** Whether the URL answers 200 to somebody who does not check its certificate. */
function isReady(url: string, token?: string): Promise<boolean> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve) => {
    const asked = request(url, { headers, rejectUnauthorized: false, timeout: 2_000 }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(false));
    asked.end();
  });
}

/** @throws Error naming what is not built */
async function refuseWithoutPrograms({ controllers }: ControlPlaneOptions): Promise<void> {
  const wanted: GoProgram[] = ['etcd', 'kube-apiserver'];
  if (controllers) wanted.push('kube-controller-manager');
  const missing = await missingGoPrograms(wanted);
  if (missing.length > 0)
    throw new Error(
      `no real control plane: ${missing.join(' and ')} not built; \`./cox test differential\` does, or set KCP to the folder that has them`,
    );
}

async function settingsOf(options: ControlPlaneOptions, folder: string): Promise<PlaneSettings> {
  const { clock = systemClock, admissionPlugins = [], serviceRange = '10.96.0.0/16', address, audit } = options;
  const token = () => randomBytes(16).toString('hex');
  return {
    clock,
    folder,
    ports: { etcd: await freePort(), peer: await freePort(), server: await freePort() },
    tokens: { [admin]: { token: token(), group: 'system:masters' }, [controllerManager]: { token: token() } },
    admissionPlugins,
    serviceRange,
    address,
    flags: audit ? await auditFlags(folder) : [],
  };
}

/**
 * Starts a real etcd and kube-apiserver, with all default admission and RBAC, without nodes; with kube-controller-manager when asked to.
 * @throws Error naming the missing programs, or what the program said that did not come up
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  await refuseWithoutPrograms(options);
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-control-plane-'));
  const plane = new RunningControlPlane(await settingsOf(options, folder), options.timeout ?? 120_000);
  try {
    await plane.start(options.controllers ?? false);
    return plane;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** How its administrator reaches it. */
interface Connection {
  readonly client: Client;
  readonly transport: Transport;
  readonly ca: string;
}

class RunningControlPlane implements ControlPlane {
  readonly url: string;
  readonly etcdUrl: string;
  readonly #settings: PlaneSettings;
  readonly #timeout: number;
  readonly #children = new Map<string, Child>();
  #connection: Connection | undefined;

  /** @param timeout milliseconds that each program may take */
  constructor(settings: PlaneSettings, timeout: number) {
    this.#settings = settings;
    this.#timeout = timeout;
    this.url = `https://127.0.0.1:${settings.ports.server}`;
    this.etcdUrl = `http://127.0.0.1:${settings.ports.etcd}`;
  }

  async start(withControllers: boolean): Promise<void> {
    const settings = this.#settings;
    const { folder, clock } = settings;
    await writeSecrets(settings);
    this.#children.set('etcd', startEtcd(settings));
    await this.#serve();
    const ca = await readFile(certificateOf(folder), 'utf8');
    const transport = httpTransport(await loadKubeconfig({ text: this.#kubeconfigOf(admin, ca) }));
    const client = createClient({ transport, fieldManager: admin, userAgent: admin, clock });
    this.#connection = { client, transport, ca };
    if (!withControllers) return;
    const file = join(folder, 'controllers.kubeconfig');
    await writeFile(file, this.#kubeconfigOf(controllerManager, ca), { mode: 0o600 });
    const port = await freePort();
    await this.#up(startControllerManager(settings, port, file), () => isReady(`https://127.0.0.1:${port}/healthz`));
  }

  get client(): Client {
    return this.#connected.client;
  }

  get transport(): Transport {
    return this.#connected.transport;
  }

  get pids(): readonly number[] {
    return [...this.#children.values()].map(({ pid }) => pid);
  }

  refused(): Promise<readonly RefusedRequest[]> {
    return refusedIn(this.#settings.folder);
  }

  async crashApiserver(): Promise<void> {
    await this.#children.get('kube-apiserver')?.kill();
    await this.#serve();
  }

  kubeconfig(): string {
    return this.#kubeconfigOf(admin, this.#connected.ca);
  }

  async stop(): Promise<void> {
    await this.#connection?.transport.close();
    for (const [name, child] of [...this.#children].reverse()) {
      await child.stop();
      this.#children.delete(name);
    }
    await rm(this.#settings.folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get #connected(): Connection {
    if (!this.#connection) throw new Error('the control plane does not run yet');
    return this.#connection;
  }

  #serve(): Promise<void> {
    const token = this.#settings.tokens[admin]?.token;
    return this.#up(startApiserver(this.#settings), () => isReady(`${this.url}/readyz`, token));
  }

  async #up(child: Child, probe: () => Promise<boolean>): Promise<void> {
    this.#children.set(child.name, child);
    const ready = async () => {
      const broken = [...this.#children.values()].find((one) => one.ended());
      if (broken) throw new Error(`${broken.name} ended; it last said:\n${broken.said()}`);
      return probe();
    };
    await untilReady(this.#settings.clock, child, ready, this.#timeout);
  }

  #kubeconfigOf(user: string, ca: string): string {
    const token = this.#settings.tokens[user]?.token;
    return tokenKubeconfig({ name: 'real', server: this.url, ca, serverName: 'kubernetes.default.svc', token });
  }
}
