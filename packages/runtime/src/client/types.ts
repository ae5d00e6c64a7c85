import type { Json, Kind, KubeList, KubeObject } from '@coxswain/k8s';
import type { ObjectKey } from '../core/index.ts';
import type { KeepManagedFields, Transport, WatchEvent } from './transport.ts';

/** A patch as a value: its kind decides the content type. Made by `merge`, `json`, `strategic` and `apply`. */
export type Patch =
  | { readonly type: 'merge'; readonly body: unknown }
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }
  | { readonly type: 'strategic'; readonly body: unknown }
  | { readonly type: 'apply'; readonly body: unknown };

/** One operation of a JSON patch (RFC 6902); paths are JSON pointers. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json | unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** Of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds until the call is given up; default 30 000. */
  readonly timeout?: number;
  /** Called right before each try is sent; what it throws is the end of the call, and that try is not sent. */
  readonly gate?: () => void;
  /** Told of the call when it begins, as `patch configmaps default/a`; what it answers is called when the call has ended. */
  readonly began?: (what: string) => () => void;
}

/** What becomes of managed fields while an answer is parsed. */
export interface ParsingOptions {
  /**
   * Managed fields are half of most objects, and the slow half to parse. Given this, a transport that parses texts hands them over as
   * the text they are, and objects come without them; one that parses nothing leaves them in.
   */
  readonly keepManagedFields?: KeepManagedFields;
}

/** Of every call that writes. */
export interface WriteOptions extends CallOptions, ParsingOptions {
  /** The server checks and answers, but stores nothing. */
  readonly dryRun?: boolean;
  /** Name under which the server records who owns which field; default: the client's. */
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** Of a server-side apply. */
export interface ServerSideApplyOptions extends WriteOptions {
  /** Take fields over from other managers; else a conflict with them is refused (409). */
  readonly force?: boolean;
}

/** `force` only with `apply`. */
export interface PatchOptions extends ServerSideApplyOptions {
  /** `status`, `scale` … */
  readonly subresource?: string;
}

/** Of a delete. Absent fields are the server's to decide. */
export interface DeleteOptions extends CallOptions {
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** Which objects a list has, and how much of them at a time. */
export interface ListOptions extends CallOptions, ParsingOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** A selector in Kubernetes' notation: `app=web,tier in (a,b)`, or equality pairs. */
  readonly labels?: string | Readonly<Record<string, string>>;
  readonly fields?: string | Readonly<Record<string, string>>;
  /** Objects a page; default 500. */
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Ask for `PartialObjectMetadata` only. */
  readonly metadataOnly?: boolean;
}

/** Which objects a watch follows, and from where. */
export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue'> {
  readonly timeoutSeconds?: number;
  readonly allowBookmarks?: boolean;
  /** WatchList: stream the present objects first. */
  readonly sendInitialEvents?: boolean;
}

/** `Scale` of autoscaling/v1: how many there are of something, whatever its kind. */
export interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: {
    readonly replicas: number;
    /** Of the pods that are counted, in Kubernetes' notation. */
    readonly selector?: string;
  };
}

/** One subresource of the objects of a kind: `status`, `scale`, `eviction`, `token` … Each serves some of these verbs. */
export interface Subresource<S extends object> {
  get(key: ObjectKey, options?: CallOptions): Promise<S>;
  create(key: ObjectKey, body: object, options?: WriteOptions): Promise<S>;
  /** Replaces it. With `metadata.resourceVersion` set a concurrent change is refused (409 Conflict). */
  update(key: ObjectKey, body: S, options?: WriteOptions): Promise<S>;
  patch(key: ObjectKey, patch: Patch, options?: ServerSideApplyOptions): Promise<S>;
}

/**
 * A kind whose objects are written in another type than they are read in: where a schema has defaults, what they fill may be left out.
 * A kind that says nothing has one type for both.
 */
export interface WritableKind<T extends KubeObject, Input extends KubeObject = T> extends Kind<T> {
  /** Never set; carries the type of the object as it is written. */
  readonly __input?: Input;
}

/**
 * The verbs of one kind, always asking the server.
 * @typeParam Input what is created and applied; `T` is what is answered
 */
export interface Resource<T extends KubeObject, Input extends KubeObject = T> {
  /** @throws ApiError NotFound */
  get(key: ObjectKey, options?: CallOptions): Promise<T>;
  /** Like `get`, but `undefined` when there is no such object. */
  find(key: ObjectKey, options?: CallOptions): Promise<T | undefined>;
  /** One page. */
  list(options?: ListOptions): Promise<KubeList<T>>;
  /** All objects, page by page. */
  listAll(options?: ListOptions): AsyncIterable<T>;
  create(object: Input, options?: WriteOptions): Promise<T>;
  /** Replaces the whole object. With `metadata.resourceVersion` set a concurrent change is refused (409 Conflict). */
  update(object: T, options?: WriteOptions): Promise<T>;
  updateStatus(object: T, options?: WriteOptions): Promise<T>;
  patch(key: ObjectKey, patch: Patch, options?: PatchOptions): Promise<T>;
  patchStatus(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Server-side apply: `object` is all that this field manager wants. Made when it is not there. */
  apply(object: Input, options?: ServerSideApplyOptions): Promise<T>;
  applyStatus(object: Input, options?: ServerSideApplyOptions): Promise<T>;
  /** @typeParam S what it answers, when that is not the object itself */
  subresource<S extends object = T>(name: string): Subresource<S>;
  /** Of kinds that have replicas. */
  readonly scale: Subresource<Scale>;
  /** The object as left behind while finalizers or a grace period hold it; `undefined` when it is gone. NotFound is an error. */
  delete(key: ObjectKey, options?: DeleteOptions): Promise<T | undefined>;
  deleteCollection(options: ListOptions & DeleteOptions): Promise<void>;
  watch(options?: WatchOptions): Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
  /**
   * All objects by one request, which the server answers from its cache, handed on while they arrive: an ADDED for each, then a BOOKMARK
   * with the list's version and the annotation `k8s.io/initial-events-end`. Absent where the transport hands lists on only whole.
   */
  readonly listStream?: (
    options?: Omit<ListOptions, 'limit' | 'continue'>,
  ) => Promise<AsyncIterable<readonly WatchEvent<T>[]>>;
}

/** Talks to one API server. */
export interface Client {
  readonly transport: Transport;
  of<T extends KubeObject, Input extends KubeObject = T>(kind: WritableKind<T, Input>): Resource<T, Input>;
  /** Any path: discovery, `/version`, logs … Answers the parsed body. */
  raw(request: Parameters<Transport['send']>[0]): Promise<unknown>;
}
