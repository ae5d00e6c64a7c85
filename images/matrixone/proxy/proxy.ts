import { type CnStore, workState } from '@coxswain/operator-matrixone/mo';
import type { ByteStream } from '@coxswain/operator-matrixone/morpc';
import { messageOf, randomUuid } from '@coxswain/runtime/core';
import type { ProxyConfig } from '../config/service-config.ts';
import { KeeperLink } from '../nodes/keeper-link.ts';
import { listen, type Port } from '../nodes/listen.ts';
import { repeat } from '../nodes/repeat.ts';
import type { Service, Surroundings } from '../nodes/surroundings.ts';
import { newSalt, serverVersion } from '../sql/sql-server.ts';
import { parseLoginName } from '../wire/login-name.ts';
import { decodeLogin, encodeAuthSwitch, encodeError, encodeGreeting, plugin, SqlError } from '../wire/mysql.ts';
import { PacketStream } from '../wire/packets.ts';
import { type Backend, connectBackend, type Proof, ProxySession } from './proxy-session.ts';
import { route } from './route.ts';

/** Milliseconds: how long HAKeeper may take to run, and to answer. */
const times = { running: 120_000, answer: 1000 };
const welcome = 0;

/** Sends clients to compute nodes, and moves them away from those that are drained. */
class SqlProxy {
  readonly #surroundings: Surroundings;
  readonly #link: KeeperLink;
  readonly #clients = new Set<PacketStream>();
  readonly #sessions = new Set<ProxySession>();
  #stores: readonly CnStore[] = [];
  #lastId = 0;

  constructor(link: KeeperLink, surroundings: Surroundings) {
    this.#link = link;
    this.#surroundings = surroundings;
  }

  async refresh(): Promise<void> {
    this.#stores = (await this.#link.keeper.clusterDetails({ timeout: times.answer })).cnStores;
  }

  /** Moves the sessions of nodes that are drained, as far as there is somewhere to go. */
  async rebalance(): Promise<void> {
    const moved = [...this.#sessions].filter(({ store }) => this.#isLeaving(store.uuid));
    const results = await Promise.allSettled(moved.map((session) => session.move(() => this.#elsewhere(session))));
    for (const result of results)
      if (result.status === 'rejected')
        this.#surroundings.logger.warn({ why: messageOf(result.reason) }, 'a session could not be moved');
  }

  /** Another node for a session that is to leave its own; none when that serves again by now, or there is no other. */
  async #elsewhere({ proof, store }: ProxySession): Promise<Backend | undefined> {
    return this.#isLeaving(store.uuid) ? this.#connect(proof).catch(() => undefined) : undefined;
  }

  #isLeaving(uuid: string): boolean {
    const store = this.#stores.find((one) => one.uuid === uuid);
    return store !== undefined && store.workState >= workState.draining;
  }

  accept(stream: ByteStream): void {
    const client = new PacketStream(stream);
    this.#clients.add(client);
    client.onClose(() => this.#clients.delete(client));
    this.#serve(client).catch((error) => {
      if (error instanceof SqlError && !client.closed) client.send(encodeError(error));
      client.close();
    });
  }

  close(): void {
    for (const client of [...this.#clients]) client.close();
  }

  async #serve(client: PacketStream): Promise<void> {
    const salt = newSalt();
    client.send(encodeGreeting({ version: serverVersion, connectionId: ++this.#lastId, salt }));
    const asked = decodeLogin(await client.next());
    let { auth } = asked;
    if (asked.plugin !== plugin) {
      client.send(encodeAuthSwitch(salt));
      auth = await client.next();
    }
    const proof = { login: { ...asked, auth }, salt };
    const backend = await this.#connect(proof);
    if (client.closed) return backend.packets.close();
    client.send(backend.answer);
    if (backend.answer[0] !== welcome) {
      backend.packets.close();
      return client.close();
    }
    const session = new ProxySession(client, this.#link.client, proof, backend);
    this.#sessions.add(session);
    client.onClose(() => this.#sessions.delete(session));
    await session.serve();
  }

  /** The node with the fewest sessions that answers. @throws SqlError when none does */
  async #connect(proof: Proof): Promise<Backend> {
    const { clock, dial, logger } = this.#surroundings;
    const { account, user } = parseLoginName(proof.login.user);
    const load = ({ uuid }: CnStore) => [...this.#sessions].filter(({ store }) => store.uuid === uuid).length;
    for (const store of [...route(this.#stores, account, user)].sort((a, b) => load(a) - load(b))) {
      try {
        return await connectBackend(clock, dial, store, proof);
      } catch (error) {
        logger.warn({ why: messageOf(error) }, 'a compute node does not answer');
      }
    }
    throw new SqlError(20101, 'no available CN server');
  }
}

/** Starts a proxy. Serves once HAKeeper runs. @throws ServiceEnd */
export async function startProxy(config: ProxyConfig, surroundings: Surroundings): Promise<Service> {
  const { clock, random, logger, ownAddress } = surroundings;
  const uuid = config.uuid ?? randomUuid(random);
  const link = new KeeperLink(config.haKeeper, surroundings);
  const proxy = new SqlProxy(link, surroundings);
  let port: Port | undefined;
  let loops: readonly { stop(): Promise<void> }[] = [];
  const stop = async () => {
    const stopping = loops.map((loop) => loop.stop());
    proxy.close();
    await link.close();
    await Promise.all([...stopping, port?.close()]);
  };
  try {
    await link.findKeeper();
    const running = async () => (await link.keeper.clusterState({ timeout: times.answer })).state === 4;
    await link.waitFor('wait for HAKeeper to run', times.running, running);
    await proxy.refresh();
    port = await listen(config.sql, ownAddress, (stream) => proxy.accept(stream));
    loops = [
      repeat(clock, config.refreshInterval, () => proxy.refresh()),
      repeat(clock, config.rebalanceInterval, () => proxy.rebalance()),
    ];
    link.beat('PROXY_HEARTBEAT', { proxyHeartbeat: { uuid, listenAddress: port.address } });
    logger.info({ uuid, address: port.address }, 'the proxy is open');
    return { addresses: { listenAddress: port.address }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
