import { type CnStore, hakeeperCnStores } from '@coxswain/operator-matrixone';
import { cnLoad, queryCn, shardLeaders, workState } from '@coxswain/operator-matrixone/mo';
import { mysqlService } from '@coxswain/operator-matrixone/sql';
import { systemClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from './test-program.ts';
import { RealMatrixOne, realProgram } from './test-real.ts';
import { SqlClient } from './test-sql-client.ts';

const { signal } = new AbortController();
const minutes = 60_000;
/** A real one takes its time: states of nodes are looked at every few seconds. */
const within = <T>(seconds: number, look: () => Promise<T>) => eventually(look, { seconds, pause: 200 });

describe.skipIf(realProgram === undefined)('what the operator says to MatrixOne, said to a real one', () => {
  const stores = hakeeperCnStores({ clock: systemClock });
  const sql = mysqlService({ clock: systemClock });
  let mo: RealMatrixOne;
  let proxy = '';
  const nodes: { uuid: string; sql: string }[] = [];
  const node = (index: number) => nodes[index] ?? { uuid: '', sql: '' };
  const storeOf = (index: number): CnStore => ({
    logSet: { namespace: 'default', name: 'mo' },
    haKeeper: mo.addresses[0] ?? '',
    uuid: node(index).uuid,
    podName: `cn-${index}`,
    podIP: '127.0.0.1',
  });
  const nodeOf = async (client: SqlClient) => (await client.query('show processlist'))[0]?.['node_id'];

  beforeAll(async () => {
    mo = await RealMatrixOne.make(realProgram ?? '');
    await mo.startLogs();
    await mo.startTn(41_000);
    nodes.push(await mo.startCn(0, 42_000), await mo.startCn(1, 43_000));
    proxy = await mo.startProxy();
    await within(120, async () => (await SqlClient.connect(proxy)).quit());
    await within(60, async () => expect((await mo.keeper.clusterDetails()).cnStores).toHaveLength(2));
  }, 4 * minutes);
  afterAll(async () => {
    stores.close();
    await mo[Symbol.asyncDispose]();
  }, minutes);

  test('HAKeeper answers', async () => {
    expect((await mo.keeper.clusterState()).state).toBe(4);
    const details = await mo.keeper.clusterDetails();
    expect(details.logStores).toHaveLength(3);
    expect(details.tnStores).toHaveLength(1);
    expect(details.proxyStores).toHaveLength(1);
    expect(details.cnStores.map(({ uuid }) => uuid).sort()).toEqual([node(0).uuid, node(1).uuid]);
    const { leaderId, replicas } = await mo.keeper.shardInfo(0n);
    expect(replicas.has(leaderId)).toBe(true);
    await within(20, async () => {
      const leaders = shardLeaders((await mo.keeper.clusterDetails()).logStores);
      const { leaderId: now, replicas: all } = await mo.keeper.shardInfo(0n);
      expect([...leaders.keys()].sort()).toEqual([0n, 1n]);
      expect(leaders.get(0n)).toBe(all.get(now)?.uuid);
    });
    await expect(mo.keeper.patchCnStore('nobody', workState.working)).rejects.toThrow('does not exist');
  });

  test('compute nodes tell of their load', async () => {
    for (const { queryAddress } of (await mo.keeper.clusterDetails()).cnStores) {
      expect(await cnLoad(mo.client, queryAddress, false)).toMatchObject({ pipelines: 0, replicas: 0 });
      const { sessions } = await queryCn(mo.client, queryAddress, 'showProcessList', { sysTenant: true });
      expect(Array.isArray(sessions)).toBe(true);
    }
  });

  test('the statements for the user of metrics are taken', { timeout: minutes }, async () => {
    const [host = '', port = ''] = node(0).sql.split(':');
    const target = { host, port: Number(port), credential: { user: 'dump', password: '111' } };
    const password = 'aB-_9zaB-_9z';
    const texts = [
      { text: 'create user if not exists `mo_operator` identified by ?', values: [password] },
      { text: 'alter user `mo_operator` identified by ?', values: [password] },
      { text: 'create role if not exists `metric_reader`' },
      { text: 'grant connect on account * to `metric_reader`' },
      { text: 'grant select on table system_metrics.* to metric_reader' },
      { text: 'grant `metric_reader` to `mo_operator`' },
    ];
    await sql.run(target, texts, signal);
    const reader = { ...target, credential: { user: 'mo_operator', password } };
    expect(await sql.run(reader, [{ text: 'select 1 as one' }], signal)).toEqual([[{ one: '1' }]]);
  });

  test('a node is drained of its sessions and locks without a cut, and taken back', {
    timeout: 3 * minutes,
  }, async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, () => SqlClient.connect(proxy)));
    const busy = clients[0] as SqlClient;
    await busy.query('create database if not exists d');
    await busy.query('create table if not exists d.t (a int primary key, b int)');
    await busy.query('insert into d.t values (1, 1)');
    await busy.query('begin');
    await busy.query('update d.t set b = 2 where a = 1');
    const from = await nodeOf(busy);
    const index = node(0).uuid === from ? 0 : 1;
    const store = storeOf(index);
    await within(30, async () => expect(await stores.describe?.(store, signal)).toMatchObject({ workState: 1 }));

    await stores.drain(store, signal);
    await within(30, async () => expect(await stores.load(store, signal)).toMatchObject({ sessions: 1 }));
    expect(await stores.handOverLocks?.(store, false, signal)).toMatchObject({ released: false, asked: true });
    await busy.query('commit');
    await within(30, async () => expect(await stores.load(store, signal)).toMatchObject({ sessions: 0, pipelines: 0 }));
    await within(30, async () =>
      expect(await stores.handOverLocks?.(store, true, signal)).toMatchObject({ released: true }),
    );
    for (const client of clients) expect(await client.query('select b from d.t where a = 1')).toEqual([{ b: '2' }]);

    await stores.serve(store, [], signal);
    await within(30, async () => expect(await stores.describe?.(store, signal)).toMatchObject({ workState: 1 }));
    for (const client of clients) client.quit();
  });

  test('a node that was drained ends with 0, and is forgotten', { timeout: 2 * minutes }, async () => {
    nodes.push(await mo.startCn(2, 44_000, 'Draining'));
    const store = storeOf(2);
    await within(60, async () =>
      expect(await stores.describe?.(store, signal)).toMatchObject({ workState: workState.draining }),
    );
    await stores.serve(store, [{ key: 'account', values: ['acc'] }], signal);
    const { cnStores } = await mo.keeper.clusterDetails();
    expect(cnStores.find(({ uuid }) => uuid === store.uuid)?.labels.get('account')).toEqual({ labels: ['acc'] });
    await stores.drain(store, signal);
    expect(await mo.stop('cn-2')).toEqual([0, null]);
    await expect(stores.load(store, signal)).rejects.toThrow();
    await stores.forget(store, signal);
    await within(10, async () => expect(await stores.load(store, signal)).toBeUndefined());
  });

  test('a lost leader of HAKeeper is followed by another, and asked', { timeout: 3 * minutes }, async () => {
    const { leaderId, replicas } = await mo.keeper.shardInfo(0n);
    const leader = mo.addresses.indexOf(replicas.get(leaderId)?.serviceAddress ?? '');
    await mo.stop(`log-${leader}`, 'SIGKILL');
    await within(90, async () =>
      expect((await mo.keeper.clusterDetails({ timeout: 5000 })).cnStores.length).toBeGreaterThanOrEqual(2),
    );
    expect((await mo.keeper.shardInfo(0n)).leaderId).not.toBe(leaderId);
  });
});
