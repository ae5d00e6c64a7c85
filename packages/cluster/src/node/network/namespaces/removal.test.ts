import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { childrenOf } from '../../process/container/process-tree.ts';
import { NetworkNamespace } from './network-namespace.ts';

const allowed = process.getuid?.() === 0 && spawnSync('unshare', ['-n', 'true']).status === 0;

/** The network with the process inside of it, whose links can be looked at. Limits of time are the test's. */
async function start() {
  const before = childrenOf(process.pid);
  const clock = new VirtualClock();
  const network = await NetworkNamespace.start({ clock, onLost: () => {} });
  const inside = childrenOf(process.pid).find((pid) => !before.includes(pid)) ?? 0;
  const links = () => readFileSync(`/proc/${inside}/net/dev`, 'utf8').match(/\bpod\d+(?=:)/g) ?? [];
  /** Something that is not answered in time, and done after all later. */
  const late = async (asked: () => Promise<unknown>) => {
    process.kill(inside, 'SIGSTOP');
    const outcome = expect(asked()).rejects.toThrow('no answer within 10s');
    await clock.advance(10_000);
    await outcome;
    process.kill(inside, 'SIGCONT');
  };
  return { network, links, late };
}

test.runIf(allowed)('the network of a pod that was not removed in time is removed when it is asked again', async () => {
  const { network, links, late } = await start();
  const { link } = await network.addPod('192.168.1.10');
  expect(links()).toEqual([link]);
  await late(() => network.removePod(link, '192.168.1.10'));
  await network.removePod(link, '192.168.1.10');
  expect(links()).toEqual([]);
  await network.close();
});

test.runIf(allowed)('an address that was left behind belongs to the pod that is given it next', async () => {
  const { network, links, late } = await start();
  await late(() => network.addPod('192.168.1.10'));
  const { link } = await network.addPod('192.168.1.10');
  expect(links()).toEqual([link]);
  await network.removePod(link, '192.168.1.10');
  expect(links()).toEqual([]);
  await network.close();
});
