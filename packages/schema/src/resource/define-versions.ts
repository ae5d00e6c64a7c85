import type { CustomResourceDefinition, KubeObject } from '@coxswain/k8s';
import type { Props } from '../builder/infer.ts';
import type { Schema } from '../builder/schema.ts';
import { own } from '../json.ts';
import { crdOf } from './crd.ts';
import { defineResource } from './define-resource.ts';
import type { DefinedResource, InputFrom, ObjectFrom, Resource, ResourceDefinition } from './types.ts';

type OfKind =
  | 'group'
  | 'kind'
  | 'plural'
  | 'singular'
  | 'listKind'
  | 'shortNames'
  | 'categories'
  | 'scope'
  | 'metadata';

type AnySchema = Schema<unknown> | undefined;

/** What is said version by version. Paths of columns, of `scale` and of selectable fields are text: accessors see no fields here. */
export type VersionDefinition = Omit<
  ResourceDefinition<AnySchema, AnySchema, Props, boolean, unknown>,
  OfKind | 'version'
>;

type Versions = Readonly<Record<string, VersionDefinition>>;
type Part<V, Name extends string, Otherwise> = V extends { readonly [K in Name]: infer P } ? P : Otherwise;

/** The objects of one version. */
type VersionObject<V> = ObjectFrom<
  Part<V, 'spec', undefined>,
  Part<V, 'status', undefined>,
  Part<V, 'root', Record<never, never>> extends infer R extends Props ? R : never,
  Part<V, 'specOptional', false>
>;

/** The objects of one version as they are written. */
type VersionInput<V> = InputFrom<
  Part<V, 'spec', undefined>,
  Part<V, 'status', undefined>,
  Part<V, 'root', Record<never, never>> extends infer R extends Props ? R : never,
  Part<V, 'specOptional', false>
>;

/**
 * How objects of a version become such of the stored one, the hub, and back. `apiVersion` and `kind` are set for them.
 * Both are pure, and lose nothing: what the other version has no field for is kept, in an annotation if need be.
 * During a server-side apply the API server converts objects of which only some fields are there: `spec` itself may be missing.
 */
export type Converters<V extends Versions, Storage extends keyof V> = {
  readonly [K in Exclude<keyof V, Storage>]?: {
    toHub(object: VersionObject<V[K]>): VersionObject<V[Storage]>;
    fromHub(hub: VersionObject<V[Storage]>): VersionObject<V[K]>;
  };
};

/** One kind in several versions. */
export interface VersionedResource<V extends Versions = Versions> {
  readonly group: string;
  readonly kind: string;
  /** The version in which objects are stored, and through which all others are converted. */
  readonly storage: Extract<keyof V, string>;
  readonly versionNames: readonly Extract<keyof V, string>[];
  /** The kind in one version, for clients and controllers. @throws RangeError when there is none of this name */
  version<K extends Extract<keyof V, string>>(name: K): DefinedResource<VersionObject<V[K]>, VersionInput<V[K]>>;
  /**
   * The manifest with all versions. It says nothing of conversion, so the server only changes `apiVersion` until a
   * conversion webhook is put in.
   */
  crd(): CustomResourceDefinition;
  /**
   * The object in another version (`demo.dev/v1`). Pure.
   * @throws RangeError when the object or the wish is not of this kind
   */
  convert(object: KubeObject, toApiVersion: string): KubeObject;
}

/**
 * Makes one value of a kind with several versions. A version without converters has the fields of the stored one.
 * @throws RangeError when the stored version is not among them
 */
export function defineVersions<const V extends Versions, const Storage extends Extract<keyof V, string>>(
  definition: Pick<ResourceDefinition, OfKind> & { readonly versions: V; readonly storage: Storage },
  converters: Converters<V, Storage> = {},
): VersionedResource<V> {
  const { versions, storage, ...names } = definition;
  type Name = Extract<keyof V, string>;
  const versionNames = Object.keys(versions) as Name[];
  const kinds = new Map<string, Resource>(
    versionNames.map((version) => [version, defineResource({ ...names, ...versions[version], version })]),
  );
  const kindOf = (version: string): Resource => {
    const kind = kinds.get(version);
    if (!kind) throw new RangeError(`${names.kind} of ${names.group} has no version ${version}: ${versionNames}`);
    return kind;
  };
  kindOf(storage);
  const { group, kind } = names;
  return {
    group,
    kind,
    storage,
    versionNames,
    version: <K extends Name>(name: K) => kindOf(name) as DefinedResource<VersionObject<V[K]>, VersionInput<V[K]>>,
    crd: () =>
      crdOf(
        names,
        [...kinds.values()].map(({ definition, schema }) => {
          return { definition, schema, storage: definition.version === storage };
        }),
      ),
    convert: (object, to) => {
      const [from, wish] = [object.apiVersion ?? '', to].map((text) => versionIn(text, group));
      if (from === undefined || wish === undefined || object.kind !== kind) {
        throw new RangeError(`${object.apiVersion} ${object.kind} cannot become ${to}: this converts ${group} ${kind}`);
      }
      kindOf(from);
      kindOf(wish);
      return from === wish ? object : through(object, from, { to: wish, group, converters });
    },
  };
}

interface Way {
  readonly to: string;
  readonly group: string;
  readonly converters: Readonly<Record<string, unknown>>;
}

interface Pair {
  toHub(object: KubeObject): KubeObject;
  fromHub(hub: KubeObject): KubeObject;
}

function through(object: KubeObject, from: string, { to, group, converters }: Way): KubeObject {
  const hub = (own(converters, from) as Pair | undefined)?.toHub(object) ?? object;
  const made = (own(converters, to) as Pair | undefined)?.fromHub(hub) ?? hub;
  return { ...made, apiVersion: `${group}/${to}`, kind: object.kind, metadata: made.metadata ?? object.metadata };
}

function versionIn(apiVersion: string, group: string): string | undefined {
  return apiVersion.startsWith(`${group}/`) ? apiVersion.slice(group.length + 1) : undefined;
}
