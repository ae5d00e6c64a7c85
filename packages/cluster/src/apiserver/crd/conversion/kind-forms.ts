import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { cloneJson, deepEqual, deepFreeze } from '@coxswain/runtime/core';
import { compileSchema, type SchemaNode } from '@coxswain/schema';
import type { Conversion, RemoteConversion } from '../../types.ts';
import { type Convert, conversionFailure, unreadable } from './webhook.ts';

/** One version of a kind, served or not. */
export interface KindVersion {
  /** `group/version` */
  readonly apiVersion: string;
  /** Of the whole object. */
  readonly schema: SchemaNode;
}

/** Drops from a draft what the version does not know. */
function prune({ schema }: KindVersion, draft: MutableJson): MutableJson {
  compileSchema(schema).prune(draft);
  return draft;
}

/** What all versions of one kind know of each other. */
class KindForms {
  readonly #place: string;
  readonly #versions: ReadonlyMap<string, KindVersion>;
  readonly convert: Convert | undefined;
  /** In which objects are stored now; older ones may be in others. */
  readonly storage: KindVersion;
  /** Stored objects with what their version's schema adds and drops today; the same objects, mostly. */
  readonly #read = new WeakMap<object, DynamicObject>();
  /** The managedFields of objects that were made by these schemas: each write has its own, which storing does not copy. */
  readonly #made = new WeakSet<object>();

  constructor(place: string, versions: readonly KindVersion[], storage: KindVersion, convert: Convert | undefined) {
    this.#place = place;
    this.#versions = new Map(versions.map((version) => [version.apiVersion, version]));
    this.storage = storage;
    this.convert = convert;
  }

  /** @throws ApiError for a version that the kind has no more */
  versionOf({ apiVersion = '' }: DynamicObject): KindVersion {
    const version = this.#versions.get(apiVersion);
    if (version) return version;
    throw conversionFailure(`request to convert CR from an invalid group/version: ${apiVersion}`);
  }

  keyOf({ metadata: { namespace, name } }: DynamicObject): string {
    return `${this.#place}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
  }

  /** The schema may have changed since the object was stored. */
  read(object: DynamicObject): DynamicObject {
    const { managedFields } = object.metadata;
    if (managedFields && this.#made.has(managedFields)) return object;
    let known = this.#read.get(object);
    if (!known) {
      const version = this.versionOf(object);
      const draft = prune(version, cloneJson(object) as unknown as MutableJson);
      compileSchema(version.schema).applyDefaults(draft);
      known = deepEqual(draft, object) ? object : deepFreeze(draft as unknown as DynamicObject);
      this.#read.set(object, known);
    }
    return known;
  }

  /** What was just made by the rules of its version needs no look when it is read. */
  vouchFor({ metadata }: DynamicObject): void {
    if (metadata.managedFields) this.#made.add(metadata.managedFields);
  }

  /** Through the webhook, when there is one and the versions differ. */
  ask(object: DynamicObject, apiVersion: string): Promise<MutableJson> | undefined {
    const { convert } = this;
    const version = this.#versions.get(apiVersion);
    if (!convert || !version || object.apiVersion === apiVersion) return undefined;
    return convert([object], apiVersion).then(([made = {}]) => prune(version, made));
  }
}

/** How one version sees what is stored. */
class VersionForm implements Conversion {
  readonly #forms: KindForms;
  readonly #version: KindVersion;
  readonly #converted = new WeakMap<object, DynamicObject>();
  readonly remote?: RemoteConversion;

  constructor(forms: KindForms, version: KindVersion) {
    this.#forms = forms;
    this.#version = version;
    if (forms.convert) this.remote = new WebhookForm(forms, version, forms.convert, this.#converted);
  }

  fromStored(object: DynamicObject): DynamicObject {
    const known = this.#converted.get(object);
    if (known) return known;
    const { apiVersion } = this.#version;
    const read = this.#forms.read(object);
    if (object.apiVersion === apiVersion) return read;
    if (this.remote)
      throw new Error(`${object.kind} ${object.metadata.name} was not converted to ${apiVersion} in time`);
    const draft = prune(this.#version, { ...(cloneJson(read) as unknown as MutableJson), apiVersion });
    const made = deepFreeze(draft as unknown as DynamicObject);
    this.#converted.set(object, made);
    return made;
  }

  toStored(object: DynamicObject): MutableJson {
    const { storage } = this.#forms;
    const draft = object as unknown as MutableJson;
    if (object.apiVersion === storage.apiVersion) {
      this.#forms.vouchFor(object);
      return draft;
    }
    if (this.remote) throw new Error(`${object.kind} ${object.metadata.name} was not converted to be stored`);
    return prune(storage, { ...draft, apiVersion: storage.apiVersion });
  }
}

/** The same through a webhook, asked beforehand. */
class WebhookForm implements RemoteConversion {
  readonly #forms: KindForms;
  readonly #version: KindVersion;
  readonly #convert: Convert;
  readonly #converted: WeakMap<object, DynamicObject>;
  readonly #underway = new WeakMap<object, Promise<void>>();

  constructor(forms: KindForms, version: KindVersion, convert: Convert, converted: WeakMap<object, DynamicObject>) {
    this.#forms = forms;
    this.#version = version;
    this.#convert = convert;
    this.#converted = converted;
  }

  read(objects: readonly DynamicObject[], fresh = false): Promise<void> | undefined {
    const { apiVersion } = this.#version;
    const others = objects.filter((one) => one.apiVersion !== apiVersion && (fresh || !this.#converted.has(one)));
    if (others.length === 0) return undefined;
    const known = others.map((one) => this.#underway.get(one));
    const missing = others.filter((_, i) => known[i] === undefined);
    const waits = known.filter((one) => one !== undefined);
    if (missing.length > 0) waits.push(this.#ask(missing));
    return Promise.all(waits).then(() => undefined);
  }

  #ask(objects: readonly DynamicObject[]): Promise<void> {
    const asked = this.#make(objects).finally(() => {
      for (const object of objects) this.#underway.delete(object);
    });
    for (const object of objects) this.#underway.set(object, asked);
    return asked;
  }

  async #make(objects: readonly DynamicObject[]): Promise<void> {
    const version = this.#version;
    const [first] = objects;
    let made: MutableJson[];
    try {
      const read = objects.map((object) => this.#forms.read(object));
      made = await this.#convert(read, version.apiVersion);
    } catch (error) {
      throw first ? unreadable(this.#forms.keyOf(first), first, error) : error;
    }
    objects.forEach((object, i) => {
      const form = prune(version, made[i] ?? {});
      this.#converted.set(object, deepFreeze(form as unknown as DynamicObject));
    });
  }

  write(object: DynamicObject): Promise<MutableJson> | undefined {
    return this.#forms.ask(object, this.#forms.storage.apiVersion);
  }

  to(object: DynamicObject, apiVersion: string): Promise<MutableJson> | undefined {
    return this.#forms.ask(object, apiVersion);
  }
}

/**
 * The conversions of all versions of a kind, in their order.
 * @param place where the objects of the kind are, as errors name it: `/group/plural`
 * @param convert absent: versions differ in nothing but what their schemas know
 */
export function conversionsOf(
  place: string,
  versions: readonly KindVersion[],
  storage: KindVersion,
  convert: Convert | undefined,
): readonly Conversion[] {
  const forms = new KindForms(place, versions, storage, convert);
  return versions.map((version) => new VersionForm(forms, version));
}
