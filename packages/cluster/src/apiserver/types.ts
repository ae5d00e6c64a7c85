import type { Readable } from 'node:stream';
import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { TransportRequest } from '@coxswain/runtime/client';
import type { Clock, Random } from '@coxswain/runtime/core';
import type { FieldError, SchemaNode } from '@coxswain/schema';
import type { Storage } from '../storage/types.ts';
import type { BodyText } from './request/body-text.ts';
import type { CommandSession, PortForwardSession, TunnelSession } from './streams.ts';

/** Who asks. */
export interface UserInfo {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  /** What else is known of the user, by key. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Whom a user wants to be taken for (the `Impersonate-…` headers). */
export interface Impersonation {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A request that has passed authentication. */
export interface ApiRequest extends TransportRequest {
  readonly user: UserInfo;
  /** The handler decides whether the user may. */
  readonly impersonate?: Impersonation;
  /** Paths of keys that occurred twice in the body's text (`spec.replicas`); only a wire format can have them. */
  readonly duplicates?: readonly string[];
  /** The body as it came over a wire. When it could not be read, `body` is absent and this says why. */
  readonly text?: BodyText;
  /** Query keys that came more than once, with all values; `query` has the first. Absent when none, and in-process. */
  readonly repeated?: Readonly<Record<string, readonly string[]>>;
  /** For the answer, beside its own: of the credentials that were shown. */
  readonly warnings?: readonly string[];
  /** The client asks for an upgrade of the connection (WebSocket, SPDY …), and the door can do it. */
  readonly upgrade?: boolean;
  /** The request as it came, when it is one to be passed on (proxies): its body is not read, `body` is absent. */
  readonly raw?: RawRequest;
}

/** A request as it came over a wire. */
export interface RawRequest {
  /** `HEAD` and `OPTIONS` too: `method` of the request has no word for them. */
  readonly method: string;
  /** Path and query, as written. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readable;
  /** Address of the client. */
  readonly from?: string | undefined;
}

/**
 * An answer. `body` is a frozen object (cacheable by identity when serialised) or a string for plain text.
 * A watch answers `events` instead; the HTTP layer and the in-process transport turn it into their stream.
 */
export type ApiResponse =
  | {
      readonly kind: 'object';
      readonly code: number;
      readonly body: unknown;
      /**
       * The body as JSON in UTF-8, in pieces to be joined, where its text is at hand and the body itself need not be made. Shared: they
       * must not be written to.
       */
      readonly json?: () => readonly Buffer[];
      /** Is told the bytes of the answer's body as it is sent, compressed if so. */
      readonly onSent?: (bytes: number) => void;
      readonly headers?: Readonly<Record<string, string>>;
      readonly warnings?: readonly string[];
    }
  | {
      readonly kind: 'text';
      readonly code: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'watch'; readonly stream: WatchStream; readonly headers?: Readonly<Record<string, string>> }
  /** Bytes as they come: logs, proxied answers. Over a WebSocket they are its messages. `headers` name the content type. */
  | {
      readonly kind: 'bytes';
      readonly code: number;
      readonly body: AsyncIterable<Uint8Array>;
      readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    }
  /** Only over an upgraded connection (WebSocket or SPDY); a client that did not ask for one gets 400. */
  | {
      readonly kind: 'upgrade';
      readonly code: 101;
      readonly body: CommandSession | PortForwardSession | TunnelSession;
      readonly headers?: undefined;
    };

/** One event of a watch as sent: `object` is frozen and the same for all watchers with the same projection. */
export interface OutgoingEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
  /** The object as JSON, where its text is at hand and the object itself need not be made. Shared: it must not be written to. */
  readonly json?: Buffer;
}

/** A running watch. It pushes; the consumer decides how to buffer and when to give up. */
export interface WatchStream {
  /** Starts delivery. `onEvents` gets batches in order; `onEnd` comes once, last. Must be called once. */
  start(onEvents: (events: readonly OutgoingEvent[]) => void, onEnd: () => void): void;
  cancel(): void;
}

/** What a resource's own rules may use. */
export interface StrategyContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly storage: Storage;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly subresource: string;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
}

/**
 * The rules of one kind. Drafts are mutable, private copies; `old` is the stored object.
 * The order for create: decode, prune, `default`, `prepareCreate`, validate schema, `validate`; for update the same with `prepareUpdate`
 * and `validateUpdate` too. Generic metadata rules are applied by the server around it.
 */
export interface Strategy {
  /** Fills defaults; idempotent. `clock` is given where a request is read: what it then fills in with times is the client's. */
  default?(draft: MutableJson, clock?: Clock): void;
  /** Resets what clients may not set (status …), allocates (cluster IPs …). May throw ApiError. */
  prepareCreate?(draft: MutableJson, context: StrategyContext): void;
  prepareUpdate?(draft: MutableJson, old: DynamicObject, context: StrategyContext): void;
  validate?(object: DynamicObject, context: StrategyContext): readonly FieldError[];
  validateUpdate?(object: DynamicObject, old: DynamicObject, context: StrategyContext): readonly FieldError[];
  /** What only a new object may not say. */
  validateCreate?(object: DynamicObject, context: StrategyContext): readonly FieldError[];
  /** Texts about an object that is accepted, but odd. Not asked for writes of subresources. */
  warnings?(object: DynamicObject, old: DynamicObject | undefined): readonly string[];
  /**
   * Loads what `validateRules` needs: asked on every write, after admission and before anything that has to be one synchronous
   * section. Undefined when nothing is missing.
   */
  ready?(draft: MutableJson): Promise<void> | undefined;
  /** The last of the validation: rules that make sense only of an object that is right otherwise. `found` is what is wrong so far. */
  validateRules?(
    object: DynamicObject,
    old: DynamicObject | undefined,
    found: readonly FieldError[],
    context: StrategyContext,
  ): readonly FieldError[];
  /** After an object is really gone (release addresses …). */
  afterDelete?(object: DynamicObject, context: StrategyContext): void;
  /** A POST keeps the status it brings (nodes register with theirs); default false. */
  readonly createsStatus?: boolean;
  /** Whether `metadata.generation` is kept: 1 on create, +1 on each change outside metadata (and status). Default false. */
  readonly generation?: boolean;
  /** PUT without resourceVersion allowed; default true. */
  readonly unconditionalUpdate?: boolean;
  /** PUT to a missing name creates; default false. */
  readonly createOnUpdate?: boolean;
  /** DELETE answers the object, not a Status; default false. */
  readonly deleteReturnsObject?: boolean;
  /** What DELETE does to dependents when nothing is said; default Background. */
  readonly defaultPropagation?: 'Background' | 'Orphan';
  /** Whether DELETE heeds a propagation policy; default true. */
  readonly garbageCollected?: boolean;
  /** Whether something beside `metadata.finalizers` keeps a deleted object (a namespace's `spec.finalizers`). Default: nothing. */
  holdsDeletion?(object: DynamicObject): boolean;
  /** The first DELETE of an object does just this to it, whatever the options say: marks it, and adds what holds it. */
  beginDelete?(draft: MutableJson, context: StrategyContext): void;
  /** What else changes when a held object gets its deletion mark (a namespace's phase). */
  prepareDelete?(draft: MutableJson): void;
  /** Seconds of grace for a delete; absent: removed at once (finalizers aside). */
  gracePeriod?(object: DynamicObject, requested: number | undefined): number;
  /** Seconds after its last write for which an object is kept (events); absent: for good. */
  readonly ttlSeconds?: number;
  /**
   * Fields that each path of the kind resets before it stores, so that nobody comes to own them there; by subresource, `''` for the
   * object itself. Default: the status at the object, the spec at its status.
   */
  readonly resets?: Readonly<Record<string, readonly string[]>>;
  /** Name rule of the kind: default DNS subdomain. Answers the messages of the violations. */
  validateName?(name: string): readonly string[];
}

/** A column of the Table form: `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** 0 always shown, above only with `-o wide`. */
  readonly priority?: number;
  /** The cell. `undefined` prints as empty. Dates are answered as timestamps and printed as ages by the table writer. */
  value(object: DynamicObject, now: number): string | number | boolean | undefined;
}

/** Where `/scale` finds its three values in the object, as JSON paths without the leading dot. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  readonly labelSelector?: string;
}

/** One served resource: built in, or from a CRD. */
export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Default: `kind` + `List`. */
  readonly listKind?: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** Structural schema of the whole object. */
  readonly schema: SchemaNode;
  readonly strategy: Strategy;
  readonly columns: readonly Column[];
  readonly status: boolean;
  readonly scale?: ScalePaths;
  /** Field selectors beyond metadata.name and metadata.namespace: field → value. */
  readonly selectable: Readonly<Record<string, (object: DynamicObject) => string>>;
  /** Built-in kinds take strategic merge patches and protobuf; custom ones do not. */
  readonly builtIn: boolean;
  /** Text of the deprecation warning, if any. */
  readonly deprecated?: string;
  /** `group/plural`: the storage key. Resources that share objects (events) share it. */
  readonly storage: string;
  /** Subresources besides `status` and `scale`, as discovery lists them. Default none. */
  readonly subresources?: readonly SubresourceInfo[];
  /** For resources that store nothing: a POST is answered with what this makes of the draft. */
  answer?(draft: MutableJson, context: StrategyContext): MutableJson;
  /** For resources whose objects are nowhere stored: all of them, as they are now. */
  objects?(): readonly DynamicObject[];
  /** For resources whose objects are orders to others: a POST goes to this subresource of the object of the same name. */
  readonly postsTo?: { readonly plural: string; readonly subresource: string };
  /** For a version whose form differs from the stored one. Absent: the stored form is served. */
  readonly conversion?: Conversion;
}

/** Between a served version and the stored form. Arguments are left alone; one that needs no change may be the answer. */
export interface Conversion {
  toStored(object: DynamicObject): MutableJson;
  fromStored(object: DynamicObject): MutableJson | DynamicObject;
  /** For forms that are made elsewhere (a webhook): to be asked first, or the two above fail. */
  readonly remote?: RemoteConversion;
}

/** Conversion that takes its time. Each answers undefined when there is nothing to wait for. @throws ApiError when it fails */
export interface RemoteConversion {
  /** Makes `fromStored` able to answer for these objects. `fresh`: earlier answers do not count. */
  read(objects: readonly DynamicObject[], fresh?: boolean): Promise<void> | undefined;
  /** The stored form of an object; undefined: `toStored` knows it. */
  write(object: DynamicObject): Promise<MutableJson> | undefined;
  /** The object in another served version. */
  to(object: DynamicObject, apiVersion: string): Promise<MutableJson> | undefined;
}

/** One subresource as discovery lists it. `group` and `version` are absent when they are the resource's own. */
export interface SubresourceInfo {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** The resources served now. Changes when CRDs come and go. */
export interface Registry {
  find(group: string, version: string, plural: string): ResourceInfo | undefined;
  /** All, in discovery order. */
  all(): readonly ResourceInfo[];
  set(resource: ResourceInfo): void;
  remove(group: string, version: string, plural: string): void;
  /** Tells of every resource that stops being served. */
  onRemove(listener: (resource: ResourceInfo) => void): void;
  /** Grows with every change: discovery and OpenAPI caches hang on it. */
  readonly generation: number;
}

/** Paths outside `/api` and `/apis` resources (and discovery documents): the server asks each route in order. */
export interface NonResourceRoute {
  match(path: string): boolean;
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse>;
}

/** What an admission plug-in sees of one write. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: ResourceInfo;
  readonly subresource: string;
  readonly namespace: string;
  /** `''` while a generated name is not yet known. */
  readonly name: string;
  /** The new object; absent for DELETE. `admit` may change it in place, `validate` must not. */
  readonly object?: MutableJson;
  /** The stored object; absent for CREATE. */
  readonly old?: DynamicObject;
  readonly options: Readonly<Record<string, unknown>>;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly storage: Storage;
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
  /** Notes something for those who audit: key and text. It goes to the server's log, level debug; clients never see it. */
  annotate(key: string, text: string): void;
  /** Asks for one more pass of all `admit`s after this one: a late link changed the object. Asked in the second pass, it does nothing. */
  readmit(): void;
}

/**
 * One link of the admission chain. All `admit`s run in order before validation, all `validate`s in order after it.
 * Both refuse by throwing ApiError. Plug-ins that answer without a promise keep the write in one synchronous section.
 */
export interface AdmissionPlugin {
  readonly name: string;
  admit?(attributes: AdmissionAttributes): void | Promise<void>;
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}

/** A request for a subresource that is not `status` or `scale`. */
export interface SubresourceRequest {
  readonly request: ApiRequest;
  readonly resource: ResourceInfo;
  readonly namespace: string;
  readonly name: string;
  /** What follows the subresource in the path, without the leading slash (proxy paths). */
  readonly rest: string;
  /** Bound to this request: user, `dryRun` and warnings are its own. */
  readonly context: StrategyContext;
  readonly operations: SubresourceOperations;
}

/** What a subresource handler may ask the server to do, by the same rules as the verbs. */
export interface SubresourceOperations {
  /** The stored parent. @throws ApiError NotFound */
  get(): DynamicObject;
  /**
   * Changes the parent: `change` edits a private draft of the newest state and may throw ApiError; it may run again after a
   * concurrent change. Admission, strategy (`context.subresource` is the handler's name), managedFields and commit follow.
   */
  update(change: (draft: MutableJson, old: DynamicObject) => void): Promise<DynamicObject>;
  /** Like `update`, but past the rules of the kind: no defaults, validation, generation or managedFields (a binding). */
  amend(change: (draft: MutableJson, old: DynamicObject) => void): Promise<DynamicObject>;
  /** Deletes the parent by the rules of DELETE. */
  remove(options: Readonly<Record<string, unknown>>): Promise<ApiResponse>;
}

/** Serves `resource/name` (`pods/eviction`, `serviceaccounts/token` …). */
export interface SubresourceHandler {
  /** `group/plural` of the parent, as in {@link ResourceInfo.storage}. */
  readonly resource: string;
  /** `eviction`, `token` … */
  readonly name: string;
  /** Others are refused with 405: `create`, `get`, `update`, `patch` … */
  readonly verbs: readonly string[];
  handle(request: SubresourceRequest): ApiResponse | Promise<ApiResponse>;
}

/** A request for a subresource that leads out of the server (`exec`, `proxy` …), admitted. */
export interface ConnectRequest {
  readonly request: ApiRequest;
  readonly resource: ResourceInfo;
  readonly namespace: string;
  readonly name: string;
  /** What follows the subresource in the path, without the leading slash; with the trailing one. */
  readonly rest: string;
  /** What the handler's `options` made of the query. */
  readonly options: MutableJson;
  readonly storage: Storage;
  /** @throws ApiError Forbidden when the user may not do this too with the same subresource */
  authorize(verb: string): void;
}

/** Serves a subresource by connecting the client with something outside of the server. Nothing is stored. */
export interface ConnectHandler {
  /** `group/plural` of the parent. */
  readonly resource: string;
  readonly name: string;
  /** HTTP methods; others are refused with 405. */
  readonly methods: readonly string[];
  /** Whether a path may follow the subresource. */
  readonly subpaths: boolean;
  /** The options object of a request, as admission sees it. @throws ApiError BadRequest */
  options(request: ApiRequest, rest: string): MutableJson;
  connect(request: ConnectRequest): ApiResponse | Promise<ApiResponse>;
}

/** A subresource that is the parent itself under another path (`namespaces/finalize`, `pods/resize`): GET, PUT and PATCH. */
export interface SubresourceForm {
  /** `group/plural` of the parent. */
  readonly resource: string;
  readonly name: string;
  /** `get`, `update`, `patch`; others are refused with 405. */
  readonly verbs: readonly string[];
  /** Takes back, in the draft, everything that this path may not change. */
  restrict(draft: MutableJson, old: DynamicObject): void;
}

/** Builds the Table form of objects or of a list; the rows are in the order of `objects`. */
export type ToTable = (
  resource: ResourceInfo,
  objects: readonly DynamicObject[],
  options: {
    /** Absent: `Metadata`. */
    readonly includeObject?: string;
    /** List metadata (or the object's resourceVersion) of the Table. */
    readonly metadata: Readonly<Record<string, unknown>>;
    /** Wall time in milliseconds, for ages. */
    readonly now: number;
    /** Of `meta.k8s.io`. Absent: `v1`. */
    readonly version?: 'v1' | 'v1beta1';
  },
) => unknown;

/** An API server without a wire: the HTTP layer and the in-process transport both call it. */
export interface ApiServer {
  readonly registry: Registry;
  readonly storage: Storage;
  /** Never rejects: failures are answers with a Status body. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Whether the user may do what is asked and there is something that does it. If not, the request can be handled without its body. */
  serves(request: ApiRequest): boolean;
  /** Ends all watches. */
  close(): void;
}
