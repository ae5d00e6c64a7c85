import { type CnStore, queryService, workState } from '@coxswain/operator-matrixone/mo';
import { MorpcServer } from '@coxswain/operator-matrixone/morpc';
import type { CnConfig } from '../config/service-config.ts';
import { workStateOf } from '../log/answers.ts';
import { SqlServer } from '../sql/sql-server.ts';
import type { Backend } from '../sql/statement.ts';
import { KeeperLink } from './keeper-link.ts';
import { listen, type Port } from './listen.ts';
import { answerQuery } from './query-answers.ts';
import { type Service, ServiceEnd, type Surroundings } from './surroundings.ts';

/** Milliseconds that a compute node waits for a transaction node that has the shard. */
const shardWait = 30_000;

const nameOf = (state: number) => {
  const [name = ''] = Object.entries(workState).find(([, number]) => number === state) ?? [];
  return name.charAt(0).toUpperCase() + name.slice(1);
};

const backendOf = ({ uuid, sqlAddress, workState: state, labels }: CnStore): Backend => ({
  uuid,
  address: sqlAddress,
  workState: nameOf(state),
  labels: Object.fromEntries([...labels].map(([key, values]) => [key, values.labels])),
});

/** Refuses a state that there is not, before anything has started. */
function checkWorkState(text: string): void {
  try {
    workStateOf(text);
  } catch (error) {
    throw new ServiceEnd(2, error instanceof Error ? error.message : String(error));
  }
}

async function waitForShard(link: KeeperLink): Promise<void> {
  await link.findKeeper();
  await link.waitFor('wait for a TN shard', shardWait, async () => {
    const { tnStores } = await link.keeper.clusterDetails({ timeout: 1000 });
    return tnStores.some(({ shards }) => shards.length > 0);
  });
}

/** Starts a compute node. Serves once it has found HAKeeper and a transaction node. @throws ServiceEnd */
export async function startCn(config: CnConfig, surroundings: Surroundings): Promise<Service> {
  const { clock, faults, logger, openStore, ownAddress } = surroundings;
  const { uuid } = config;
  checkWorkState(config.initWorkState);
  const link = new KeeperLink(config.haKeeper, surroundings);
  const backends = async () => (await link.keeper.clusterDetails({ timeout: 5000 })).cnStores.map(backendOf);
  const storage = config.shared ? { storage: openStore(config.shared) } : {};
  const sql = new SqlServer({ nodeId: uuid, surroundings, backends, ...storage });
  const queries = new MorpcServer({
    clock,
    protocol: queryService,
    handle: async (request) =>
      (await faults.get('mute')) === undefined ? answerQuery(request, uuid, sql.sessions, faults) : undefined,
    onRefused: (error) => logger.warn({ error }, 'a connection was closed'),
  });
  const ports: Port[] = [];
  const stop = async () => {
    await link.close();
    sql.close();
    queries.close();
    await Promise.all(ports.map((port) => port.close()));
  };
  /** Listens where nobody of ours speaks: who probes the port finds it open. */
  const open = async (endpoint: CnConfig['sql'], accept: Parameters<typeof listen>[2] = (stream) => stream.close()) => {
    const port = await listen(endpoint, ownAddress, accept);
    ports.push(port);
    return port.address;
  };
  try {
    await waitForShard(link);
    const addresses = {
      serviceAddress: await open(config.pipeline),
      lockServiceAddress: await open(config.lock),
      queryAddress: await open(config.query, (stream) => queries.accept(stream)),
      shardServiceAddress: await open(config.shard),
      sqlAddress: await open(config.sql, (stream) => sql.accept(stream)),
    };
    const { role, initWorkState } = config;
    const { commitId } = surroundings;
    link.beat('CN_HEARTBEAT', { cnHeartbeat: { uuid, role, initWorkState, commitId, ...addresses } });
    logger.info({ uuid, address: addresses.sqlAddress }, 'the compute node is open');
    return { addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
