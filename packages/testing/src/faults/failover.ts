import type { Server } from '../test-cluster/index.ts';
import { openEchoWorld } from './echo-world.ts';
import { startSubject } from './subject.ts';

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
  await world.right(all, 'first', patience);
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
  await underway.promise;
  const ended = old.end(signal);
  if (!next) await start('next');
  await load;
  await ended;
  const missed = (await world.right(all, 'second', patience)).length;
  forget();
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
    overlap: first === undefined ? 0 : ofOld.filter(({ version }) => version > first).length,
    missed,
    writes: [ofOld.length, ofNext.length],
  };
}
