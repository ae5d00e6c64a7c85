import {
  ErrorMessage,
  errorCode,
  lockService,
  queryCn,
  queryCommands,
  queryService,
} from '@coxswain/operator-matrixone/mo';
import { MorpcServer } from '@coxswain/operator-matrixone/morpc';
import { messageOf } from '@coxswain/runtime/core';
import type { TnConfig } from '../config/service-config.ts';
import { checkIdentity } from '../log/disk.ts';
import { KeeperLink } from './keeper-link.ts';
import { listen, type Port } from './listen.ts';
import { LockTable } from './lock-table.ts';
import { repeat } from './repeat.ts';
import { type Service, ServiceEnd, type Surroundings } from './surroundings.ts';

/** Milliseconds: how long HAKeeper may take to run, and between two looks at the compute nodes' transactions. */
const times = { running: 120_000, look: 1000, answer: 1000 };

/** What a transaction node's query service answers: it has few of the commands. */
function answerQuery(method: number) {
  if (method === queryCommands.getCacheInfo) return { method, getCacheInfo: {} };
  if (method === queryCommands.getProtocolVersion) return { method, getProtocolVersion: { version: 4n } };
  const error = ErrorMessage.encode({ code: errorCode.notSupported, message: `command ${method} is not supported` });
  return { method, error };
}

/** Leaves a checkpoint where the data is, as one does that opens it. @throws ServiceEnd when that cannot be written */
async function openStorage({ shared, uuid }: TnConfig, { clock, openStore }: Surroundings): Promise<void> {
  if (!shared) return;
  try {
    await openStore(shared).put('ckp/meta', JSON.stringify({ tn: uuid, at: clock.now() }));
  } catch (error) {
    throw new ServiceEnd(2, `the shared storage cannot be written: ${messageOf(error)}`);
  }
}

/** Starts a transaction node. Serves once HAKeeper runs. @throws ServiceEnd */
export async function startTn(config: TnConfig, surroundings: Surroundings): Promise<Service> {
  const { clock, faults, logger, ownAddress } = surroundings;
  const { uuid } = config;
  await checkIdentity(config.dataDir, uuid);
  const link = new KeeperLink(config.haKeeper, surroundings);
  const locks = new LockTable();
  const onRefused = (error: unknown) => logger.warn({ error }, 'a connection was closed');
  const unlessMute = async <T>(answer: () => T) => ((await faults.get('mute')) === undefined ? answer() : undefined);
  const lockServer = new MorpcServer({
    clock,
    protocol: lockService,
    handle: async (request) => {
      await look().catch(() => {});
      return unlessMute(() => locks.answer(request));
    },
    onRefused,
  });
  const queries = new MorpcServer({
    clock,
    protocol: queryService,
    handle: ({ method }) => unlessMute(() => answerQuery(method)),
    onRefused,
  });
  /** Asks all compute nodes for their transactions: those are what holds locks. */
  const look = async () => {
    const { cnStores } = await link.keeper.clusterDetails({ timeout: times.answer });
    const ask = async ({ uuid: cn, queryAddress }: (typeof cnStores)[number]) => {
      const { transactions } = await queryCn(link.client, queryAddress, 'getTxnInfo', {}, { timeout: times.answer });
      locks.note(cn, transactions.length);
    };
    await Promise.allSettled(cnStores.map(ask));
    locks.keepOnly(cnStores.map((store) => store.uuid));
  };
  const ports: Port[] = [];
  let looking: { stop(): Promise<void> } | undefined;
  const stop = async () => {
    await link.close();
    await looking?.stop();
    lockServer.close();
    queries.close();
    await Promise.all(ports.map((port) => port.close()));
  };
  const open = async (endpoint: TnConfig['txn'], accept: Parameters<typeof listen>[2] = (stream) => stream.close()) => {
    const port = await listen(endpoint, ownAddress, accept);
    ports.push(port);
    return port.address;
  };
  try {
    await link.findKeeper();
    const running = async () => (await link.keeper.clusterState({ timeout: times.answer })).state === 4;
    await link.waitFor('wait for HAKeeper to run', times.running, running);
    await openStorage(config, surroundings);
    const addresses = {
      serviceAddress: await open(config.txn),
      logtailServerAddress: await open(config.logtail),
      lockServiceAddress: await open(config.lock, (stream) => lockServer.accept(stream)),
      queryAddress: await open(config.query, (stream) => queries.accept(stream)),
      shardServiceAddress: await open(config.shard),
    };
    link.beat('TN_HEARTBEAT', { tnHeartbeat: { uuid, ...addresses } });
    looking = repeat(clock, times.look, look);
    logger.info({ uuid, address: addresses.serviceAddress }, 'the transaction node is open');
    return { addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
