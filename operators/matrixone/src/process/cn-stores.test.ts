import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import type { Runnable } from '@coxswain/runtime/manager';
import { expect, test } from 'vitest';
import { unmanagedCnStores } from '../cnstore/index.ts';
import { TestNetwork } from '../morpc/test-network.ts';
import { addCnStores } from './cn-stores.ts';

const signal = new AbortController().signal;
const store = {
  logSet: { namespace: 'ns', name: 'mo' },
  haKeeper: 'mo-log-discovery.ns.svc:32001',
  uuid: 'cn',
  podName: 'cn-0',
  podIP: undefined,
};

function added(cnLabel: boolean) {
  const runnables: Runnable[] = [];
  const network = new TestNetwork();
  const clock = new VirtualClock();
  const manager = { add: (runnable: Runnable) => void runnables.push(runnable) };
  const options = { cnLabel, clock, random: seededRandom(1), log: silentLogger, dial: network.dial };
  return { stores: addCnStores(manager, options), runnables, network, clock };
}

test('with the gate, the HAKeeper of the cluster is asked at its discovery address, until the manager has stopped', async () => {
  const { stores, runnables, network, clock } = added(true);
  const load = expect(stores.load(store, signal)).rejects.toThrow('mo-log-discovery.ns.svc:32001');
  await clock.advance(20_000);
  await load;
  expect(new Set(network.dialled)).toEqual(new Set(['mo-log-discovery.ns.svc:32001']));
  for (const runnable of runnables) await runnable.stop?.();
  await expect(stores.load(store, signal)).rejects.toMatchObject({ failure: 'closed' });
});

test('without the gate nobody is asked, and nodes serve all the same', async () => {
  const { stores, network } = added(false);
  expect(stores).toBe(unmanagedCnStores);
  await stores.serve(store, [], signal);
  expect(network.dialled).toEqual([]);
});
