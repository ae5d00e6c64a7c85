import { type CnStore, queryCn } from '@coxswain/operator-matrixone/mo';
import type { Dial, MorpcClient } from '@coxswain/operator-matrixone/morpc';
import { type Clock, withTimeout } from '@coxswain/runtime/core';
import { decodeGreeting, encodeLogin, type Login, plugin } from '../wire/mysql.ts';
import { PacketStream } from '../wire/packets.ts';
import { proxySalt } from '../wire/proxy-attributes.ts';
import { relayAnswer } from './relay.ts';

const quit = 1;
/** Milliseconds to make a connection to a compute node and log in. */
const loginTimeout = 3000;
/** Milliseconds a compute node has to say or take what a session is made of. */
const migrateTimeout = 2000;

/** A connection to a compute node in the name of a client. */
export interface Backend {
  readonly store: CnStore;
  readonly packets: PacketStream;
  readonly connectionId: number;
  /** The last word about the login: a welcome, or why not. */
  readonly answer: Buffer;
}

/** What a client proved itself with, and the salt that it did so by. */
export interface Proof {
  readonly login: Login;
  readonly salt: Uint8Array;
}

/** Logs in at a compute node with a client's own proof. Rejects when it does not answer in time. */
export function connectBackend(clock: Clock, dial: Dial, store: CnStore, { login, salt }: Proof): Promise<Backend> {
  return withTimeout(clock, loginTimeout, `log in at ${store.sqlAddress}`, async (signal) => {
    const packets = new PacketStream(await dial(store.sqlAddress, signal));
    signal.addEventListener('abort', () => packets.close(), { once: true });
    const { connectionId } = decodeGreeting(await packets.next());
    const attributes = new Map([...login.attributes, [proxySalt, Buffer.from(salt).toString('hex')]]);
    packets.send(encodeLogin({ ...login, plugin, attributes }));
    return { store, packets, connectionId, answer: await packets.next() };
  });
}

/** A client and the compute node it is served by, which may change. */
export class ProxySession {
  readonly #client: PacketStream;
  readonly #morpc: MorpcClient;
  readonly proof: Proof;
  #backend: Backend;
  #inTransaction = false;
  /** How to go on elsewhere once the transaction is over that a move came into. */
  #intent: (() => Promise<Backend | undefined>) | undefined;
  /** What is being done: a command or a move, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(client: PacketStream, morpc: MorpcClient, proof: Proof, backend: Backend) {
    this.#client = client;
    this.#morpc = morpc;
    this.proof = proof;
    this.#backend = backend;
    this.#follow(backend);
    client.onClose(() => this.#backend.packets.close());
  }

  get store(): CnStore {
    return this.#backend.store;
  }

  /** Passes commands on until either side ends. */
  async serve(): Promise<void> {
    for (;;) {
      const packet = await this.#client.next();
      if (packet[0] === quit) return this.close();
      await this.#exclusively(() => this.#command(packet));
      const intent = this.#inTransaction ? undefined : this.#intent;
      // One that fails is asked for again.
      if (intent) await this.move(intent).catch(() => {});
    }
  }

  /**
   * Goes on at another node: after the command that runs, or right after the transaction that it is a part of. What the session has set is
   * taken along.
   * @returns when it is done, or put off
   */
  move(connect: () => Promise<Backend | undefined>): Promise<void> {
    return this.#exclusively(async () => {
      this.#intent = this.#inTransaction ? connect : undefined;
      if (this.#inTransaction || this.#client.closed) return;
      const old = this.#backend;
      const next = await connect();
      if (!next) return;
      try {
        await this.#migrate(old, next);
      } catch (error) {
        next.packets.close();
        throw error;
      }
      this.#backend = next;
      this.#follow(next);
      old.packets.close();
    });
  }

  close(): void {
    this.#backend.packets.close();
    this.#client.close();
  }

  async #command(packet: Buffer): Promise<void> {
    const { packets } = this.#backend;
    packets.beginCommand();
    packets.send(packet);
    this.#inTransaction = (await relayAnswer(packets, this.#client)) ?? this.#inTransaction;
  }

  async #migrate(old: Backend, next: Backend): Promise<void> {
    const options = { timeout: migrateTimeout };
    const from = { connId: old.connectionId };
    const { db } = await queryCn(this.#morpc, old.store.queryAddress, 'migrateConnFrom', from, options);
    const to = { connId: next.connectionId, db };
    await queryCn(this.#morpc, next.store.queryAddress, 'migrateConnTo', to, options);
  }

  /** A node that ends takes its clients along. */
  #follow(backend: Backend): void {
    backend.packets.onClose(() => {
      if (this.#backend === backend) this.#client.close();
    });
  }

  #exclusively(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }
}
