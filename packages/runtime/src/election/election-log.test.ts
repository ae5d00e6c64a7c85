import { expect, it } from 'vitest';
import { createClient } from '../client/index.ts';
import { apiError, seededRandom, silentLogger, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { type Lease, LeaseElector } from './index.ts';

function world() {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const elector = (identity: string) => {
    const lines: string[] = [];
    const write = (fields: object, message: string) => {
      const { leader } = fields as { leader?: string };
      lines.push(leader ? `${message}: ${leader}` : message);
      expect(fields).toMatchObject({ lease: 'system/op' });
      expect(fields).not.toHaveProperty('err');
    };
    const options = { namespace: 'system', lease: 'op', identity };
    const log = { ...silentLogger, info: write, warn: write };
    const client = createClient({ transport: api, clock });
    return {
      lines,
      elector: new LeaseElector({ client, clock, random: seededRandom(identity.length), log, ...options }),
    };
  };
  return { clock, api, elector };
}

it('a standby says whom it waits for, when that changes, and when it leads', async () => {
  const t = world();
  const [a, bb, ccc] = [t.elector('a'), t.elector('bb'), t.elector('ccc')];
  a.elector.start();
  await t.clock.settle();
  bb.elector.start();
  await t.clock.settle();
  ccc.elector.start();
  await t.clock.advance(60_000);
  await a.elector.stop();
  await t.clock.advance(10_000);
  const [next, last] = bb.elector.state === 'leading' ? [bb, ccc] : [ccc, bb];
  const name = next === bb ? 'bb' : 'ccc';
  expect(a.lines).toEqual(['leading', 'leads no more']);
  expect(next.lines).toEqual(['another replica leads; waiting to lead: a', 'leading']);
  expect(last.lines).toEqual(['another replica leads; waiting to lead: a', `another replica leads now: ${name}`]);
  await next.elector.stop();
  await last.elector.stop();
});

it('one that may not read the lease says what its role lacks, at growing intervals, and when that is over', async () => {
  const t = world();
  let denied = true;
  const why =
    'leases.coordination.k8s.io "op" is forbidden: User "op" cannot get resource "leases" in API group "coordination.k8s.io"';
  t.api.intercept = () => {
    if (denied) throw apiError(403, 'Forbidden', why);
  };
  const a = t.elector('a');
  a.elector.start();
  await t.clock.advance(50_000);
  const line =
    'the lease could not be taken: its Role in namespace system lacks the verb "get" on leases in the API group "coordination.k8s.io" (it needs get, create and update); trying again';
  expect(a.lines).toEqual([line]);
  await t.clock.advance(1_000_000);
  expect(a.lines).toEqual([line, line, line, line, line]);
  denied = false;
  await t.clock.advance(3_000);
  expect(a.lines.slice(5)).toEqual(['the lease can be read and written again', 'leading']);
  expect(t.api.at<Lease>('/apis/coordination.k8s.io/v1/namespaces/system/leases/op')?.spec?.holderIdentity).toBe('a');
  await a.elector.stop();
});

it('a namespace that is not there is named, with what to do', async () => {
  const t = world();
  t.api.intercept = () => {
    throw apiError(404, 'NotFound', 'namespaces "system" not found', { name: 'system', kind: 'namespaces' });
  };
  const a = t.elector('a');
  a.elector.start();
  await t.clock.advance(50_000);
  expect(a.lines).toEqual([
    'the lease could not be taken: there is no namespace system; create it, or name another one for the Leases; trying again',
  ]);
  await a.elector.stop();
});

it('one whose rights are gone when it stops, as in an uninstallation, leaves the lease to expire and calls that no fault', async () => {
  const t = world();
  const a = t.elector('a');
  a.elector.start();
  await t.clock.settle();
  t.api.intercept = () => {
    throw apiError(403, 'Forbidden', 'leases.coordination.k8s.io "op" is forbidden');
  };
  await a.elector.stop();
  expect(a.lines).toEqual([
    'leading',
    'leads no more',
    'lease not released, as the right to is gone; it expires by itself',
  ]);
});
