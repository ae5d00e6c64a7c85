import { shardLeaders, workState } from '@coxswain/operator-matrixone/mo';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, freePorts, logToml, TestPrograms } from '../test-program.ts';
import { heartbeatMethods, storeService } from '../wire/heartbeats.ts';

let programs: TestPrograms;
beforeEach(async () => {
  programs = await TestPrograms.make();
});
afterEach(() => programs.close());

const cn = (uuid: string) => ({
  method: heartbeatMethods.CN_HEARTBEAT,
  cnHeartbeat: { uuid, sqlAddress: `${uuid}:6001`, initWorkState: 'Draining' },
});

describe('one log store', () => {
  test('runs HAKeeper and keeps what it was told through a restart', async () => {
    const first = await programs.start('log-0', logToml());
    const address = first.addresses['service'] ?? '';
    const keeper = programs.haKeeper(address);
    await eventually(async () => expect((await keeper.clusterState()).state).toBe(4));
    expect(await keeper.shardInfo(0n)).toMatchObject({
      leaderId: 131072n,
      replicas: new Map([[131072n, { uuid: 'log-0', serviceAddress: address }]]),
    });

    await programs.client.call(storeService, address, 'CN_HEARTBEAT', cn('a'));
    expect((await keeper.clusterDetails()).cnStores).toMatchObject([
      { uuid: 'a', sqlAddress: 'a:6001', workState: workState.draining, labels: new Map() },
    ]);
    await keeper.patchCnStore('a', workState.working, new Map([['account', ['x', 'y']]]));
    await expect(keeper.patchCnStore('b', workState.working)).rejects.toMatchObject({
      code: 20101,
      said: 'CN [b] does not exist',
    });
    expect(await first.stop()).toBe(0);
    expect(JSON.parse(first.lines.at(-1) ?? '')).toMatchObject({ message: 'Shutdown complete' });

    const second = await programs.start('log-0', logToml());
    const again = programs.haKeeper(second.addresses['service'] ?? '');
    expect((await again.clusterDetails()).cnStores).toMatchObject([
      { uuid: 'a', workState: workState.working, labels: new Map([['account', { labels: ['x', 'y'] }]]) },
    ]);
    await again.deleteCnStore('a');
    await again.deleteCnStore('never');
    const { cnStores, deletedStores } = await again.clusterDetails();
    expect([cnStores, deletedStores]).toMatchObject([[], [{ uuid: 'a', storeType: 'CN' }]]);
  });

  test('ends with 1 on the data of another store, and with 2 without a configuration that it can use', async () => {
    await (await programs.start('log-0', logToml())).stop();
    const other = logToml().replace('uuid = "log-0"', 'uuid = "log-9"').replace(':log-0"', ':log-9"');
    await expect(programs.start('log-0', other)).rejects.toThrow(/ended with 1: fatal: .* of store log-0/);
    await expect(programs.start('x', 'service-type = "LOG"')).rejects.toThrow(/ended with 2: panic: logservice.uuid/);
  });
});

describe('three log stores', () => {
  const uuids = ['log-0', 'log-1', 'log-2'];

  test('serve while two of them run, and not when one is left', async () => {
    const ports = await freePorts(3);
    const stores = await Promise.all(uuids.map((uuid, at) => programs.start(uuid, logToml(at, ports, uuids))));
    const addresses = stores.map((store) => store.addresses['service'] ?? '');
    const keeper = programs.haKeeper(...addresses);
    await eventually(async () => expect((await keeper.clusterDetails({ timeout: 1000 })).logStores).toHaveLength(3));
    // Each of them takes what only the leader can do.
    for (const address of addresses) {
      const answer = await programs.client.call(storeService, address, 'CN_HEARTBEAT', cn('a'), { timeout: 5000 });
      expect(answer).toMatchObject({ errorCode: 0 });
    }
    await keeper.patchCnStore('a', workState.working);

    const { leaderId } = await keeper.shardInfo(0n);
    const leader = Number(leaderId) - 131072;
    const leads = (uuid: string | undefined) => new Map([0n, 1n].map((shard) => [shard, uuid]));
    await eventually(async () => {
      const { logStores } = await keeper.clusterDetails();
      expect(logStores.map(({ replicas }) => replicas.map(({ shard }) => shard?.leaderId))).toEqual(
        uuids.map(() => [leaderId, leaderId]),
      );
      expect(shardLeaders(logStores)).toEqual(leads(uuids[leader]));
    });
    await stores[leader]?.stop();
    const [one = 0, other = 0] = [0, 1, 2].filter((at) => at !== leader);
    const rest = programs.haKeeper(addresses[one] ?? '', addresses[other] ?? '');
    const details = await eventually(() => rest.clusterDetails({ timeout: 1000 }));
    expect(details.cnStores).toMatchObject([{ uuid: 'a', workState: workState.working }]);
    const { leaderId: next } = await rest.shardInfo(0n);
    expect(next).not.toBe(leaderId);
    const { logStores } = await eventually(async () => {
      const said = await rest.clusterDetails({ timeout: 1000 });
      expect(shardLeaders(said.logStores)).toEqual(leads(uuids[Number(next) - 131072]));
      return said;
    });
    // The one that is gone is still known by what it said last.
    const gone = logStores.find(({ uuid }) => uuid === uuids[leader]);
    expect(gone?.replicas.map(({ shard }) => shard?.leaderId)).toEqual([leaderId, leaderId]);
    expect((await rest.clusterState()).logState?.shards.get(1n)).toMatchObject({ leaderId: next });

    await stores[other]?.stop();
    const last = programs.haKeeper(addresses[one] ?? '');
    await expect(last.clusterDetails({ timeout: 500 })).rejects.toThrow();
    await programs.start(uuids[other] ?? '', logToml(other, ports, uuids));
    expect((await eventually(() => last.clusterDetails({ timeout: 1000 }))).cnStores).toHaveLength(1);
  });
});
