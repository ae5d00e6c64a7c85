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
  const holders = await watchHolders(world);
  // The other half comes when the leader has been told to end, so that there is work for the next one however fast it was.
  const half = Math.ceil(objects / 2);
  const load = world.say(all.slice(0, half), 'second');
  await within(patience, 'a quarter of the changes, before the leader ends', underway.promise);
  holders.signalled();
  const ended = old.end(signal);
  if (!next) await start('next');
  await Promise.all([load, ended, world.say(all.slice(half), 'second')]);
  const missed = (await world.right(all, 'second', patience)).length;
  forget();
  const { released, taken } = holders.found();
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

interface Holders {
  /** The leader was told to end. */
  signalled(): void;
  /** When that showed in the lease, in milliseconds since. */
  found(): Pick<FailoverResult, 'released' | 'taken'>;
}

/** Follows who holds the lease. */
async function watchHolders({ cache }: EchoWorld): Promise<Holders> {
  const informer = cache.informer(leases, { namespace });
  await within(moments, 'the first listing of the leases', informer.synced);
  let [released, taken] = [Number.NaN, Number.NaN];
  let began = performance.now();
  informer.onEvent(({ object }) => {
    const holder = object.spec?.holderIdentity ?? '';
    if (holder === '' && Number.isNaN(released)) released = performance.now() - began;
    if (holder === 'next' && Number.isNaN(taken)) taken = performance.now() - began;
  });
  return {
    signalled() {
      began = performance.now();
    },
    found() {
      informer.release();
      return { released, taken };
    },
  };
}
