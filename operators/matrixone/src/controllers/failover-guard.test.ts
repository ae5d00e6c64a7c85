import type { ActorContext } from '@coxswain/runtime/actor';
import { silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import type { LogSet } from '../api/index.ts';
import type { LogKeeper } from '../logstore/index.ts';
import { FailoverGuard } from './failover-guard.ts';

const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;

/** What an operator that hears nothing of HAKeeper has against replacing a store that is down since then. */
function unheard(silentSince: string | undefined, downSince: string | undefined): Promise<string | undefined> {
  const keeper: Pick<LogKeeper, 'logStores' | 'said'> = {
    logStores: () => Promise.reject(new Error('nobody answers')),
    said: () => undefined,
  };
  const silent = {
    type: 'HaKeeperSilent',
    status: 'True',
    ...(silentSince ? { lastTransitionTime: silentSince } : {}),
  };
  const context = {
    clock: new VirtualClock(),
    log: silentLogger,
    signal: new AbortController().signal,
    object: { metadata: { namespace: 'default', name: 'mo' } },
    status: { failedStores: [{ podName: 'mo-log-0', phase: 'Down', lastTransition: downSince }] },
    conditions: { get: (type: string) => (silentSince && type === silent.type ? silent : undefined) },
  } as unknown as ActorContext<LogSet>;
  return new FailoverGuard(keeper as LogKeeper).objection(context, 'mo-log-0', 3, []);
}

test('who cannot be reached cannot object when that was so before the store failed', async () => {
  expect(await unheard(at(1), at(2))).toBeUndefined();
  expect(await unheard(at(2), at(1))).toContain('mo-log-0 is not replaced, as HAKeeper does not answer');
  expect(await unheard(undefined, at(1))).toContain('mo-log-0 is not replaced');
});

test('a time that cannot be read holds the store, and ends no pass', async () => {
  expect(await unheard(at(1), 'lately')).toContain('mo-log-0 is not replaced');
  expect(await unheard(at(1), undefined)).toContain('mo-log-0 is not replaced');
});
