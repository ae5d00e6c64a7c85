import type { DynamicObject } from '@coxswain/k8s';
import { expect } from 'vitest';
import { type Authorship, createAuthorship, patchAuthorship, strategic } from '../client/index.ts';
import { deepEqual } from '../core/index.ts';
import { ObjectStore } from './object-store.ts';
import type { StoreEvent } from './types.ts';

export const names = ['a', 'b'] as const;
const origin = {};

/** Writes that insist on the version they saw, or make the object: the version they answer is theirs. */
export type What = 'spec' | 'status' | 'delete' | 'toggle';

/** What patches speak of: fields, and list elements by key. They take whatever version there is, and may change nothing. */
export interface Said {
  readonly fields?: Readonly<Record<string, number>>;
  readonly conditions?: readonly { readonly type: string; readonly status: number }[];
  /** Types of conditions to take out. */
  readonly gone?: readonly string[];
}

export type Op =
  | {
      readonly do: 'write';
      readonly who: 'own' | 'foreign';
      readonly name: string;
      readonly what: What;
    }
  | { readonly do: 'patch'; readonly who: 'own' | 'foreign'; readonly name: string; readonly body: Said }
  | { readonly do: 'answer'; readonly index: number }
  | { readonly do: 'deliver' | 'bookmark' | 'break' | 'list' | 'listStep' };

interface LogEntry {
  readonly version: number;
  readonly who: 'own' | 'foreign';
  readonly gone: boolean;
  readonly object: DynamicObject;
  readonly before: DynamicObject | undefined;
}

/** A patch of ours that changed nothing: the version that the server answered, and what it said. */
interface NoOp {
  readonly version: number;
  readonly body: Said;
}

export const selected = (object: DynamicObject) => object.metadata.labels?.out === undefined;

/** The server, the wire and the store, with what must hold checked after each step. */
export class World {
  readonly log: LogEntry[] = [];
  readonly objects = new Map<string, DynamicObject>();
  readonly answers: (() => void)[] = [];
  readonly noOps: NoOp[] = [];
  /** Events without origin. */
  wakes = 0;
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
  readonly #authorshipOf: (body: Said) => Authorship;

  constructor(authorshipOf: (body: Said) => Authorship = (body) => patchAuthorship(strategic(body))) {
    this.#authorshipOf = authorshipOf;
    this.store = new ObjectStore<DynamicObject>({
      ingest: (object) => object,
      includes: selected,
      emit: (event) => this.#told(event),
    });
  }

  run(op: Op): void {
    if (op.do === 'write') this.#write(op.who, op.name, op.what);
    else if (op.do === 'patch') this.#patch(op.who, op.name, op.body);
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

  #write(who: 'own' | 'foreign', name: string, what: What): void {
    const before = this.objects.get(name);
    if (what === 'delete' && !before) return;
    const version = ++this.#version;
    const uid = before?.metadata.uid ?? `u${++this.#uid}`;
    const generation = (before?.metadata.generation ?? 0) + (what === 'spec' || !before ? 1 : 0);
    const out = before !== undefined && selected(before) === (what === 'toggle');
    const object: DynamicObject = {
      ...before,
      metadata: { name, uid, generation, resourceVersion: String(version), ...(out ? { labels: { out: '' } } : {}) },
      [what]: version,
    };
    this.#store(who, object, what === 'delete');
    if (who === 'own') this.answers.push(this.#answer(name, object, what === 'delete', createAuthorship));
  }

  /** Patches make no objects, and a patch that changes nothing is answered with the object as it is. */
  #patch(who: 'own' | 'foreign', name: string, body: Said): void {
    const before = this.objects.get(name);
    if (!before) return;
    const { fields, conditions } = patched(before as DynamicObject & Said, body);
    const changed = !deepEqual({ ...before, fields, conditions }, before);
    const resourceVersion = String(changed ? ++this.#version : this.#version);
    const object = changed
      ? { ...before, fields, conditions, metadata: { ...before.metadata, resourceVersion } }
      : before;
    if (changed) this.#store(who, object, false);
    if (who === 'foreign') return;
    if (!changed) this.noOps.push({ version: versionOf(before), body });
    this.answers.push(this.#answer(name, object, false, this.#authorshipOf(body)));
  }

  #store(who: 'own' | 'foreign', object: DynamicObject, gone: boolean): void {
    const { name } = object.metadata;
    this.log.push({ version: versionOf(object), who, gone, object, before: this.objects.get(name) });
    if (gone) this.objects.delete(name);
    else this.objects.set(name, object);
  }

  /** Our delete is sent knowing the UID that the store shows then. */
  #answer(name: string, object: DynamicObject, gone: boolean, isOurs: Authorship): () => void {
    const uid = this.store.get({ name })?.metadata.uid;
    return () => {
      if (!gone) {
        this.store.written(object, origin, isOurs);
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
    this.wakes++;
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

/** What a strategic patch makes of what is there: maps merged, list elements by their key. */
export function patched(before: Said, body: Said): Said {
  const conditions = new Map((before.conditions ?? []).map((condition) => [condition.type, condition]));
  for (const condition of body.conditions ?? []) conditions.set(condition.type, condition);
  for (const type of body.gone ?? []) conditions.delete(type);
  return {
    ...(before.fields || body.fields ? { fields: { ...before.fields, ...body.fields } } : {}),
    ...(conditions.size > 0 ? { conditions: [...conditions.values()] } : {}),
  };
}

function versionOf(object: DynamicObject): number {
  return Number(object.metadata.resourceVersion);
}
