import type { DynamicObject } from '@coxswain/k8s';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ObjectStore } from './object-store.ts';
import type { StoreEvent } from './types.ts';

/**
 * The rules of own writes against a server with two writers: us, whose answers come late and in any order, and somebody
 * else. The watch lags, breaks, goes on and lists again at any moment, and listings are interleaved with answers.
 */
const seed = Number(process.env.COX_SEED ?? 20_260_101);
const runs = Number(process.env.COX_RUNS ?? 2_500);

const names = ['a', 'b'] as const;
const origin = {};

type Op =
  | {
      readonly do: 'write';
      readonly who: 'own' | 'foreign';
      readonly name: string;
      readonly what: 'spec' | 'status' | 'delete' | 'toggle';
    }
  | { readonly do: 'answer'; readonly index: number }
  | { readonly do: 'deliver' | 'bookmark' | 'break' | 'list' | 'listStep' };

interface LogEntry {
  readonly version: number;
  readonly who: 'own' | 'foreign';
  readonly gone: boolean;
  readonly object: DynamicObject;
  readonly before: DynamicObject | undefined;
}

const selected = (object: DynamicObject) => object.metadata.labels?.out === undefined;

/** The server, the wire and the store, with what must hold checked after each step. */
class World {
  readonly log: LogEntry[] = [];
  readonly objects = new Map<string, DynamicObject>();
  readonly answers: (() => void)[] = [];
  readonly store: ObjectStore<DynamicObject>;
  /** For each name, the version of the newest state told without origin. */
  readonly told = new Map<string, number>();
  /** For each UID, the generation a handler has worked that only looks at changes of it and leaves out our own events. */
  readonly worked = new Map<string, number>();
  readonly #highest = new Map<string, number>();
  readonly #ended = new Set<string>();
  #version = 0;
  #uid = 0;
  #position = 0;
  #listing: { readonly items: DynamicObject[]; readonly version: number } | undefined;
  #connected = false;

  constructor() {
    this.store = new ObjectStore<DynamicObject>({
      ingest: (object) => object,
      includes: selected,
      emit: (event) => this.#told(event),
    });
  }

  run(op: Op): void {
    if (op.do === 'write') this.#write(op.who, op.name, op.what);
    else if (op.do === 'answer') this.answers.splice(op.index % Math.max(1, this.answers.length), 1)[0]?.();
    else if (op.do === 'deliver') this.deliver();
    else if (op.do === 'bookmark') this.#bookmark();
    else if (op.do === 'break') this.#break();
    else if (op.do === 'list') this.#list();
    else this.#listStep();
    this.#check();
  }

  /** Whether the store ever had this object. */
  shown(uid: string): boolean {
    return this.#highest.has(uid);
  }

  /** Brings everything under way to its end. */
  finish(): void {
    while (this.answers.length > 0) this.run({ do: 'answer', index: 0 });
    if (this.#listing) while (this.#listing) this.run({ do: 'listStep' });
    else if (!this.#connected) {
      this.run({ do: 'list' });
      while (this.#listing) this.run({ do: 'listStep' });
    }
    while (this.#position < this.log.length) this.run({ do: 'deliver' });
    this.run({ do: 'bookmark' });
  }

  #write(who: 'own' | 'foreign', name: string, what: 'spec' | 'status' | 'delete' | 'toggle'): void {
    const before = this.objects.get(name);
    if (what === 'delete' && !before) return;
    const version = ++this.#version;
    const uid = before?.metadata.uid ?? `u${++this.#uid}`;
    const generation = (before?.metadata.generation ?? 0) + (what === 'spec' || !before ? 1 : 0);
    const out = before !== undefined && selected(before) === (what === 'toggle');
    const object: DynamicObject = {
      metadata: { name, uid, generation, resourceVersion: String(version), ...(out ? { labels: { out: '' } } : {}) },
    };
    if (what === 'delete') this.objects.delete(name);
    else this.objects.set(name, object);
    this.log.push({ version, who, gone: what === 'delete', object, before });
    if (who === 'own') this.answers.push(this.#answer(name, object, what));
  }

  /** Our delete is sent knowing the UID that the store shows then. */
  #answer(name: string, object: DynamicObject, what: string): () => void {
    const uid = this.store.get({ name })?.metadata.uid;
    return () => {
      if (what !== 'delete') {
        this.store.written(object, origin);
        const now = this.store.get({ name });
        if (now && now.metadata.uid === object.metadata.uid)
          expect(versionOf(now)).toBeGreaterThanOrEqual(versionOf(object));
      } else if (uid) {
        this.store.gone({ name }, uid, origin);
        expect(this.store.get({ name })?.metadata.uid).not.toBe(uid);
      }
    };
  }

  deliver(): void {
    const entry = this.log[this.#position];
    if (!this.#connected || !entry) return;
    this.#position++;
    const [was, is] = [entry.before !== undefined && selected(entry.before), !entry.gone && selected(entry.object)];
    if (is) this.store.changed(entry.object);
    else if (was) this.store.removed(entry.object);
  }

  #bookmark(): void {
    const last = this.log[this.#position - 1]?.version;
    if (this.#connected && last !== undefined) expect(this.store.bookmark(String(last))).toBe(true);
  }

  /** Broken; goes on at once from where the store is, or lists if it never had anything. */
  #break(): void {
    this.#listing = undefined;
    if (!this.store.synced) {
      this.#connected = false;
      return;
    }
    if (!this.#connected) return;
    this.#position = this.log.filter(({ version }) => version <= Number(this.store.resourceVersion)).length;
  }

  #list(): void {
    this.#connected = false;
    this.store.beginListing();
    this.#listing = { items: [...this.objects.values()].filter(selected), version: this.#version };
  }

  #listStep(): void {
    const listing = this.#listing;
    if (!listing) return;
    const item = listing.items.shift();
    if (item) {
      this.store.listed(item);
      return;
    }
    expect(this.store.endListing(String(listing.version))).toBe(true);
    this.#listing = undefined;
    this.#connected = true;
    this.#position = this.log.filter(({ version }) => version <= listing.version).length;
  }

  #told(event: StoreEvent<DynamicObject>): void {
    const { name, uid = '', generation = 0 } = event.object.metadata;
    if (event.origin) return;
    const end = this.log.find(({ gone, object }) => gone && object.metadata.uid === uid)?.version ?? 0;
    const version = event.type === 'deleted' ? end : versionOf(event.object);
    this.told.set(name, Math.max(version, this.told.get(name) ?? 0));
    const matters =
      event.type === 'added' || (event.type === 'updated' && event.previous.metadata.generation !== generation);
    if (matters) this.worked.set(uid, generation);
  }

  /** Reads never go back: not to an older version, not to an object that was gone. */
  #check(): void {
    for (const name of names) {
      const now = this.store.get({ name });
      const uid = now?.metadata.uid ?? '';
      if (now) {
        const before = this.#highest.get(uid) ?? 0;
        if (versionOf(now) < before) throw new Error(`${name} went back from ${before} to ${versionOf(now)}`);
        if (this.#ended.has(uid)) throw new Error(`${name} shows ${uid} again, which was gone`);
        this.#highest.set(uid, versionOf(now));
      }
      for (const seen of this.#highest.keys()) {
        const alive = names.some((other) => this.store.get({ name: other })?.metadata.uid === seen);
        const dead = this.log.some(({ gone, object }) => gone && object.metadata.uid === seen);
        if (!alive && dead) this.#ended.add(seen);
      }
    }
  }
}

function versionOf(object: DynamicObject): number {
  return Number(object.metadata.resourceVersion);
}

function operations(whats: readonly ('spec' | 'status' | 'delete' | 'toggle')[], ownWhats: typeof whats) {
  const name = fc.constantFrom(...names);
  const write = (who: 'own' | 'foreign', what: typeof whats) =>
    fc.record({ do: fc.constant('write' as const), who: fc.constant(who), name, what: fc.constantFrom(...what) });
  return fc.array(
    fc.oneof(
      { weight: 3, arbitrary: write('own', ownWhats) },
      { weight: 3, arbitrary: write('foreign', whats) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), index: fc.nat(3) }) },
      { weight: 5, arbitrary: fc.constantFrom<Op>({ do: 'deliver' }, { do: 'listStep' }) },
      { weight: 1, arbitrary: fc.constantFrom<Op>({ do: 'bookmark' }, { do: 'break' }, { do: 'list' }) },
    ),
    { minLength: 5, maxLength: 60 },
  );
}

function play(ops: readonly Op[]): World {
  const world = new World();
  world.run({ do: 'list' });
  world.run({ do: 'listStep' });
  for (const op of ops) world.run(op);
  world.finish();
  return world;
}

/** The store is as the server, and remembers nothing more of our writes. */
function expectEqualToServer(world: World): void {
  const expected = [...world.objects.values()].filter(selected).map(({ metadata }) => metadata.resourceVersion);
  expect([...world.store.list()].map(({ metadata }) => metadata.resourceVersion).sort()).toEqual(expected.sort());
  // A deletion of ours during a listing may be remembered until the next one.
  world.run({ do: 'list' });
  world.finish();
  expect(world.store.pendingEchoes).toBe(0);
}

function expectNoForeignWriteMissed(world: World): void {
  for (const { who, version, object } of world.log) {
    if (who === 'own') continue;
    const { name, uid = '' } = object.metadata;
    const end = world.log.find((entry) => entry.gone && entry.object.metadata.uid === uid);
    const wiped = world.log.some(
      (entry) => entry.who === 'own' && entry.gone && entry.object.metadata.name === name && entry.version > version,
    );
    // What a delete of ours wiped out, or what came and went between two listings, is no news to anybody.
    if (wiped || (end && !world.shown(uid))) continue;
    expect(world.told.get(name) ?? 0, `foreign write ${version} of ${uid}`).toBeGreaterThanOrEqual(version);
  }
}

test('no foreign write is missed, reads never go back, and nothing is left behind', () => {
  const whats = ['spec', 'status', 'delete'] as const;
  fc.assert(
    fc.property(operations(whats, whats), (ops) => {
      const world = play(ops);
      expectEqualToServer(world);
      expectNoForeignWriteMissed(world);
    }),
    { seed, numRuns: runs },
  );
});

test('a handler that looks at generations only, and not at our own events, works each one of others', () => {
  fc.assert(
    fc.property(operations(['spec', 'status'], ['status']), (ops) => {
      const world = play(ops);
      for (const { metadata } of world.objects.values()) {
        const { uid = '', generation } = metadata;
        const foreign = world.log.some(({ who, object }) => who === 'foreign' && object.metadata.uid === uid);
        const created = world.log.find(({ object }) => object.metadata.uid === uid)?.who;
        if (foreign && (created === 'foreign' || (generation ?? 0) > 1)) expect(world.worked.get(uid)).toBe(generation);
      }
    }),
    { seed, numRuns: runs },
  );
});

test('objects that our writes move out of the selection and back are as the server has them', () => {
  fc.assert(
    fc.property(operations(['status', 'toggle'], ['status', 'toggle']), (ops) => expectEqualToServer(play(ops))),
    { seed, numRuns: runs },
  );
});
