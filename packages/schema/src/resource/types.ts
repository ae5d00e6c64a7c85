import type { CustomResourceDefinition, Kind, KubeObject, MutableJson, ObjectOf } from '@coxswain/k8s';
import type { Infer, InferInput, ObjectInput, ObjectValue, Props } from '../builder/infer.ts';
import type { Schema } from '../builder/schema.ts';
import type { CsvHints } from '../csv/hints.ts';
import type { FieldError, SchemaNode, ValidationRule } from '../node.ts';
import type { FieldPath } from './field-path.ts';

/** A column of `kubectl get`. `priority` above 0 shows only with `-o wide`. */
export interface PrintColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly format?: string;
  readonly priority?: number;
  readonly description?: string;
}

/** Paths of the `scale` subresource, each beginning with a dot: `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A column, as it is declared. `type` may be left out where the schema tells it: a `date-time` is a `date`. */
export interface ColumnDefinition<T> extends Omit<PrintColumn, 'type' | 'jsonPath'> {
  readonly type?: PrintColumn['type'];
  readonly jsonPath: FieldPath<T>;
}

/** The `scale` subresource, as it is declared. */
export interface ScaleDefinition<T> {
  readonly specReplicasPath: FieldPath<T>;
  readonly statusReplicasPath: FieldPath<T>;
  readonly labelSelectorPath?: FieldPath<T>;
}

type AnySchema = Schema<unknown> | undefined;

/** A custom resource in one place. `T` are its objects, as accessors of fields see them: with `never` any accessor will do. */
export interface ResourceDefinition<
  Spec extends AnySchema = AnySchema,
  Status extends AnySchema = AnySchema,
  Root extends Props = Props,
  SpecOptional extends boolean = boolean,
  T = never,
> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower case; the name in URLs. */
  readonly plural: string;
  /** Default: `kind` in lower case. */
  readonly singular?: string;
  /** Default: `kind` + `List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  /** Of the CRD itself; groups of Kubernetes' own need `api-approved.kubernetes.io` here. */
  readonly metadata?: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly description?: string;
  readonly spec?: Spec;
  /** The object may come without `spec`. Default false. */
  readonly specOptional?: SpecOptional;
  /** Never required: it is the controller's to write. */
  readonly status?: Status;
  /** Fields beside `spec`, or instead of it. */
  readonly root?: Root;
  /** CEL rules over the whole object: of `metadata` they see `name` and `generateName` only. */
  readonly rules?: readonly ValidationRule[];
  /** Keywords of the whole object's schema that there is no other word for, put in place as they are. */
  readonly with?: Partial<SchemaNode>;
  /** Default: none, and the server shows the age. */
  readonly printColumns?: readonly ColumnDefinition<T>[];
  /** `status`: writes to the resource ignore `status`, and `/status` ignores the rest. */
  readonly subresources?: {
    readonly status?: boolean;
    readonly scale?: ScaleDefinition<T>;
  };
  /** Up to 8 scalar fields that field selectors can name: `.spec.image`. */
  readonly selectableFields?: readonly FieldPath<T>[];
  /** Paths may lead nowhere: for definitions that were made elsewhere. Default false. */
  readonly uncheckedPaths?: boolean;
  /** Clients are warned; a text (256 characters at most) replaces the server's own warning. Default false. */
  readonly deprecated?: boolean | string;
  /** How the kind shows in a ClusterServiceVersion; see `ownedCrds` of `@coxswain/schema/csv`. */
  readonly csv?: CsvHints;
  /** Whether the API offers it. Default true. */
  readonly served?: boolean;
}

/** A definition whose paths are text, and whose columns have types. */
export interface SettledDefinition
  extends Omit<ResourceDefinition, 'printColumns' | 'subresources' | 'selectableFields'> {
  readonly printColumns?: readonly PrintColumn[];
  readonly subresources?: { readonly status?: boolean; readonly scale?: ScalePaths };
  readonly selectableFields?: readonly string[];
}

type SpecPart<Spec, SpecOptional> =
  Spec extends Schema<unknown>
    ? SpecOptional extends true
      ? { readonly spec?: Infer<Spec> }
      : { readonly spec: Infer<Spec> }
    : unknown;
type StatusPart<Status> = Status extends Schema<unknown> ? { readonly status?: Infer<Status> } : unknown;

/** The type of the objects of a definition. */
export type ObjectFrom<Spec, Status, Root, SpecOptional> = KubeObject &
  SpecPart<Spec, SpecOptional> &
  StatusPart<Status> &
  ObjectValue<Root>;

type SpecInput<Spec, SpecOptional> =
  Spec extends Schema<unknown>
    ? SpecOptional extends true
      ? { readonly spec?: InferInput<Spec> }
      : { readonly spec: InferInput<Spec> }
    : unknown;
type StatusInput<Status> = Status extends Schema<unknown> ? { readonly status?: InferInput<Status> } : unknown;

/** The type of the objects of a definition as they are written: what has a default may be left out. */
export type InputFrom<Spec, Status, Root, SpecOptional> = KubeObject &
  SpecInput<Spec, SpecOptional> &
  StatusInput<Status> &
  ObjectInput<Root>;

/** A custom resource as a value: the kind for clients and controllers, its schema, its CRD, its defaults and checks. */
export interface Resource<T extends KubeObject = KubeObject> extends Kind<T> {
  readonly definition: SettledDefinition;
  /** Structural schema of the whole object. */
  readonly schema: SchemaNode;
  /** The CustomResourceDefinition manifest (`apiextensions.k8s.io/v1`, one version, served and stored). */
  crd(): CustomResourceDefinition;
  /** Fills defaults in place, as the server does. */
  default(object: MutableJson): void;
  /** What the server would refuse; empty when valid. With `old`, unchanged parts are not held against the object. */
  validate(object: unknown, old?: unknown): readonly FieldError[];
}

/** A resource that also knows the type of its objects as they are written, for `create` and `apply` of a client. */
export interface DefinedResource<T extends KubeObject, Input extends KubeObject> extends Resource<T> {
  /** Never set; carries the type. */
  readonly __input?: Input;
}

/** The object type of a resource: `type Echo = ResourceType<typeof Echo>`. */
export type ResourceType<R> = ObjectOf<R>;

/** The object type of a resource as it is written, where what has a default may be left out. */
export type ResourceInput<R> = R extends { readonly __input?: infer Input } ? Input : never;
