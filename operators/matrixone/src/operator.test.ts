import { createClient, type Transport } from '@coxswain/runtime/client';
import { createManager } from '@coxswain/runtime/manager';
import { expect, test } from 'vitest';
import { matrixoneOperator } from './operator.ts';
import type { MatrixOneOptions } from './options.ts';

const unreachable: Transport = {
  send: () => Promise.reject(new Error('nothing is asked before the start')),
  watch: () => Promise.reject(new Error('nothing is watched before the start')),
  close: async () => {},
};

const actedOn = (options: MatrixOneOptions): ReadonlySet<string> => {
  const manager = createManager({ client: createClient({ transport: unreachable }), name: 'test' });
  matrixoneOperator.setup(manager, options);
  return new Set(manager.declared.map((one) => one.for.kind.kind));
};

test('what is switched off has no controller, and all the rest has', () => {
  const all = actedOn({});
  const some = actedOn({ proxies: false, pools: false, backup: false });
  const off = ['ProxySet', 'CNPool', 'CNClaim', 'CNClaimSet', 'BackupJob', 'RestoreJob'];
  expect([...all].filter((kind) => !some.has(kind)).sort()).toEqual(off.sort());
});
