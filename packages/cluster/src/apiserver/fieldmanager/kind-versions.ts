import type { RefResolver, SchemaNode } from '@coxswain/schema';
import type { Tree } from '../patch/index.ts';
import { type Comparison, compareObjects } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { type FieldType, fieldTypeOf } from './field-type.ts';
import { withoutReset } from './ownership.ts';

/** The versions of a kind, for claims that were made in other ones than that of the request. */
export interface KindVersions {
  /** Undefined when the kind has the version no more: claims in it mean nothing. */
  schemaOf(apiVersion: string): SchemaNode | undefined;
  /** The object in another version; a new one. May throw to be called again later. */
  convert(object: Tree, apiVersion: string): Tree;
}

/** One request's view of the versions. Without `versions` all claims are read as if they were made in the request's own. */
export class VersionScope {
  readonly apiVersion: string;
  readonly type: FieldType;
  readonly #versions: KindVersions | undefined;
  readonly #resolve: RefResolver;

  constructor(type: FieldType, apiVersion: string, versions: KindVersions | undefined, resolve: RefResolver) {
    this.type = type;
    this.apiVersion = apiVersion;
    this.#versions = versions;
    this.#resolve = resolve;
  }

  /** The type of a version; undefined when there is no such version any more. */
  typeOf(apiVersion: string): FieldType | undefined {
    if (!this.#versions || apiVersion === this.apiVersion) return this.type;
    const schema = this.#versions.schemaOf(apiVersion);
    return schema && fieldTypeOf(schema, this.#resolve);
  }

  convert(value: unknown, apiVersion: string): unknown {
    const tree = value as Tree | undefined;
    if (!this.#versions || tree === undefined || tree['apiVersion'] === apiVersion) return value;
    return this.#versions.convert(tree, apiVersion);
  }

  /** What a change means in each version, without the reset fields. Undefined for a version that is gone. */
  comparing(live: unknown, next: unknown, reset: FieldSet): (apiVersion: string) => Comparison | undefined {
    const known = new Map<string, Comparison | undefined>();
    return (given) => {
      const apiVersion = this.#versions ? given : this.apiVersion;
      if (known.has(apiVersion)) return known.get(apiVersion);
      const type = this.typeOf(apiVersion);
      const comparison =
        type &&
        withoutReset(compareObjects(type, this.convert(live, apiVersion), this.convert(next, apiVersion)), reset);
      known.set(apiVersion, comparison);
      return comparison;
    };
  }
}
