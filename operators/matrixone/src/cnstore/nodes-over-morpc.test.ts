import { seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { cnSetNames } from '../api/index.ts';
import { cnStoreUuid } from '../identity/index.ts';
import { lockService, queryService } from '../mo/index.ts';
import { TestLogService } from '../mo/test-log-service.ts';
import { MorpcServer } from '../morpc/index.ts';
import { hakeeperCnStores } from './hakeeper-stores.ts';
import { NodeWorld } from './test-nodes.ts';

const discovery = 'mo-log-discovery.default.svc:32001';
const query = '10.0.0.1:6004';
const lock = '10.0.0.2:6003';
const uuid = cnStoreUuid('a', cnSetNames('tp').headless, 'default');

/** A cluster's log service, a compute node with sessions and a transaction node with locks, on a network in memory. */
class Services {
  readonly log = new TestLogService();
  sessions = 1;
  transactions = 1;
  restarting = false;

  constructor() {
    const { clock, network } = this.log;
    this.log.start(discovery);
    this.log.start('log-0:32001', 1n);
    this.log.start('log-1:32001', 2n);
    this.log.leader = 1n;
    this.log.tnStores = [{ uuid: 'tn', lockServiceAddress: lock, shards: [{ shardId: 1n, replicaId: 1n }] }];
    const queries = new MorpcServer({ clock, protocol: queryService, handle: ({ method }) => this.#load(method) });
    network.listen(query, (stream) => queries.accept(stream));
    const locks = new MorpcServer({ clock, protocol: lockService, handle: ({ method }) => this.#locks(method) });
    network.listen(lock, (stream) => locks.accept(stream));
  }

  #load(method: number) {
    if (method === 19) return { method, getPipelineInfo: {} };
    if (method === 24) return { method, getReplicaCount: {} };
    // The node's own sessions stay; they are in nobody's way.
    const own = { account: 'sys', user: 'x', db: 'mo_task', fromProxy: false };
    const users = Array.from({ length: this.sessions }, () => ({ account: 'acc', fromProxy: true }));
    return { method, showProcessList: { sessions: [own, ...users] } };
  }

  #locks(method: number) {
    if (method === 12) {
      this.restarting = true;
      return { method, setRestartService: { ok: true } };
    }
    if (method === 13) return { method, remainTxnInService: { remainTxn: this.restarting ? this.transactions : -1 } };
    return { method, canRestartService: { ok: this.restarting && this.transactions === 0 } };
  }

  register(state: number): void {
    this.log.nodes.set(uuid, { state, labels: {}, queryAddress: query });
  }

  /** Writes to HAKeeper since the last time. */
  writes(): readonly string[] {
    const methods = this.log.asked.splice(0).map((line) => line.slice(0, line.indexOf(' ')));
    return methods.filter((method) => /PATCH|UPDATE|DELETE/.test(method));
  }
}

test('over morpc: registered, labelled, idle without a write, drained while a log store dies, updated, and gone', async () => {
  const services = new Services();
  const { clock, network } = services.log;
  const stores = hakeeperCnStores({ clock, dial: network.dial, random: seededRandom(1) });
  const spec = { scalingConfig: { storeDrainEnabled: true } };
  await using world = await NodeWorld.start(stores, { spec, clock });

  const labels = JSON.stringify([{ key: 'account', values: ['acc'] }]);
  await world.add('a', { annotations: { 'matrixone.cloud/cn-label': labels } });
  await clock.advance(5_000);
  expect(await world.gate('a')).toContain('False CNStoreNotRegistered');
  services.register(2);
  await clock.advance(2_000);
  expect(await world.gate('a')).toBe('True CNStoreReady');
  expect(services.log.nodes.get(uuid)).toMatchObject({ state: 1, labels: { account: ['acc'] } });
  expect(services.writes()).toEqual(['PATCH_CN_STORE']);

  const version = (await world.pod('a'))?.metadata.resourceVersion;
  await clock.advance(3_600_000);
  expect(services.writes()).toEqual([]);
  expect((await world.pod('a'))?.metadata.resourceVersion).toBe(version);
  expect((await world.pod('a'))?.metadata.annotations).toMatchObject({ 'matrixorigin.io/connections': '1' });

  await world.asks('a', 'PreparingUpdate');
  await clock.advance(20_000);
  expect(await world.gate('a')).toContain('waits for 1 session');
  services.log.leader = 2n;
  network.stop('log-0:32001');
  await clock.advance(30_000);
  services.sessions = 0;
  await clock.advance(10_000);
  expect(await world.gate('a')).toContain('waits for locks of 1 open transaction');
  services.transactions = 0;
  await clock.advance(6_000);
  expect(await world.isHeld('a')).toBe(false);
  expect(services.writes()).toEqual(['PATCH_CN_STORE']);

  // OpenKruise has updated it, in place.
  await world.asks('a', 'Updating');
  await world.runs('a', false);
  await world.runs('a', true);
  await world.asks('a', 'Normal');
  await clock.advance(1_000);
  expect(await world.gate('a')).toBe('True CNStoreReady');
  expect(services.log.nodes.get(uuid)).toMatchObject({ state: 1 });

  await world.delete('a');
  await clock.advance(1_000);
  expect(services.log.nodes.get(uuid)).toMatchObject({ state: 2 });
  await world.runs('a', false);
  await clock.advance(1_000);
  expect(services.log.nodes.has(uuid)).toBe(false);
  stores.close();
});

test('over morpc: a node whose services are all silent is held for the time of its drain, and no longer', async () => {
  const services = new Services();
  const { clock, network } = services.log;
  const stores = hakeeperCnStores({ clock, dial: network.dial, random: seededRandom(1) });
  const spec = { scalingConfig: { storeDrainEnabled: true, storeDrainTimeout: '2m' } };
  await using world = await NodeWorld.start(stores, { spec, clock });
  services.register(1);
  await world.add('a');
  await clock.advance(2_000);
  expect(await world.gate('a')).toBe('True CNStoreReady');
  for (const address of [discovery, 'log-0:32001', 'log-1:32001', query]) {
    network.stop(address);
    network.blackholes.add(address);
  }
  await world.asks('a', 'PreparingDelete');
  await clock.advance(100_000);
  expect(await world.isHeld('a')).toBe(true);
  expect(await world.gate('a')).toMatch(/^False CNStorePrepareStop: waits for /);
  await clock.advance(45_000);
  expect(await world.isHeld('a')).toBe(false);
  expect((await world.events()).some((line) => line.startsWith('Pod DrainTimedOut'))).toBe(true);
  stores.close();
});
