import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Server } from '../test-cluster/index.ts';
import { type EchoWorld, namespace, openEchoWorld } from './echo-world.ts';
import { startSubject } from './subject.ts';
import { moments, within } from './within.ts';

/** How the leader ends, and whether the next one was there already with full caches. */
export const failoverWays = ['SIGTERM, warm', 'SIGTERM, cold', 'SIGKILL, warm', 'SIGKILL, cold'] as const;
/** How the leader ends. */
export type FailoverWay = (typeof failoverWays)[number];

export interface FailoverOptions {
  readonly server: Server;
  readonly objects: number;
  /** Milliseconds until what is not right counts as missed. */
  readonly patience: number;
}

/** What came of a leader's end under load; times are milliseconds. */
export interface FailoverResult {
  readonly way: FailoverWay;
  readonly objects: number;
  /** Milliseconds from the last write of the old leader to the first of the new one, as the server's watch told them. */
  readonly gap: number;
  /** Milliseconds from the signal until nobody held the lease (NaN: it expired), and until the next one did. */
  readonly released: number;
  readonly taken: number;
  /** Writes of the old leader after the first of the new one, in the server's order. */
  readonly overlap: number;
  /** Objects not right in the end. */
  readonly missed: number;
  /** Writes of the one and of the other while the load went on. */
  readonly writes: readonly [number, number];
}

/** Two operators with one lease, all objects changing; the leader ends in the middle of it. */
export async function failover(
  way: FailoverWay,
  { server, objects, patience }: FailoverOptions,
): Promise<FailoverResult> {
  const [signal, standby] = way.split(', ') as ['SIGTERM' | 'SIGKILL', 'warm' | 'cold'];
  await using subject = await startSubject(server);
  const all = Array.from({ length: objects }, (_, i) => `echo-${i}`);
  const config = subject.kubeconfig();
  await using world = await openEchoWorld(config, all);
  const start = (identity: string) => world.operator(config, { identity, lease: 'echo' });
  const old = await start('old');
  const unready = (await world.right(all, 'first', patience)).length;
  if (unready > 0) throw new Error(`${unready} of ${objects} objects were never right, before the leader ended`);
  const next = standby === 'warm' ? await start('next') : undefined;
  await next?.said(({ report }) => report === 'warm' || undefined);

  const underway = Promise.withResolvers<void>();
  const seen: { readonly by: string; readonly at: number; readonly version: bigint }[] = [];
  const forget = world.maps.onEvent((event) => {
    if (event.type === 'deleted' || (event.type === 'added' && event.initial)) return;
    const { data, metadata } = event.object;
    seen.push({ by: data?.['by'] ?? '', at: performance.now(), version: BigInt(metadata.resourceVersion ?? 0) });
    if (seen.length >= objects / 4) underway.resolve();
  });
  const load = world.say(all, 'second');
  await within(patience, 'a quarter of the changes, before the leader ends', underway.promise);
  const holders = await watchHolders(world);
  const ended = old.end(signal);
  if (!next) await start('next');
  await load;
  await ended;
  const missed = (await world.right(all, 'second', patience)).length;
  forget();
  const { released, taken } = holders();
  const ofOld = seen.filter(({ by }) => by === 'old');
  const ofNext = seen.filter(({ by }) => by === 'next');
  const first = ofNext.reduce<bigint | undefined>(
    (min, { version }) => (min === undefined || version < min ? version : min),
    undefined,
  );
  return {
    way,
    objects,
    gap: (ofNext[0]?.at ?? Number.NaN) - (ofOld.at(-1)?.at ?? Number.NaN),
    released,
    taken,
    overlap: first === undefined ? 0 : ofOld.filter(({ version }) => version > first).length,
    missed,
    writes: [ofOld.length, ofNext.length],
  };
}

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}
const leases: Kind<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
};

/** Follows who holds the lease from now on. @returns what tells, in milliseconds from now, when that changed */
async function watchHolders({ cache }: EchoWorld): Promise<() => Pick<FailoverResult, 'released' | 'taken'>> {
  const informer = cache.informer(leases, { namespace });
  await within(moments, 'the first listing of the leases', informer.synced);
  let [released, taken] = [Number.NaN, Number.NaN];
  const began = performance.now();
  informer.onEvent(({ object }) => {
    const holder = object.spec?.holderIdentity ?? '';
    if (holder === '' && Number.isNaN(released)) released = performance.now() - began;
    if (holder === 'next' && Number.isNaN(taken)) taken = performance.now() - began;
  });
  return () => {
    informer.release();
    return { released, taken };
  };
}
