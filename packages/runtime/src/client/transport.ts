import type { KubeObject, ObjectMeta, Status } from '@coxswain/k8s';

/** HTTP methods that a Kubernetes API knows. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Takes the JSON text of an object's managed fields, which are then missing in its metadata. */
export type KeepManagedFields = (metadata: ObjectMeta, text: string) => void;

/** One request to an API server, before it is put on a wire (or handed to the embedded server as it is). */
export interface TransportRequest {
  readonly method: Method;
  /** `/api/v1/namespaces/default/pods/web-0`, already percent-encoded, without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** A JSON value. The sender gives it up: it must not change it afterwards. The receiver does not change it either. */
  readonly body?: unknown;
  /** Media type of `body`; default `application/json`. Patches set it. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  readonly userAgent?: string;
  /** Further headers, their names in lower case: `traceparent` … The in-process transport has no use for them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** See `WatchOptions.keepManagedFields`. */
  readonly keepManagedFields?: KeepManagedFields;
  /** How often this call was made before in vain; absent: never. */
  readonly attempt?: number;
  readonly signal?: AbortSignal;
  /** To be called right before it is put on the wire: throws when it must not be sent any more. */
  readonly gate?: () => void;
}

/** An answer of the server, of any status. */
export interface TransportResponse {
  readonly status: number;
  /** Parsed JSON, or the text when the server answered something else. From the in-process transport: frozen and shared. */
  readonly body: unknown;
  /** Texts of `Warning` headers. */
  readonly warnings: readonly string[];
}

/** One line of a watch. A BOOKMARK's object has only its kind and `metadata.resourceVersion` (and annotations). */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: Status };

/**
 * How requests reach an API server: over HTTP, or straight into the embedded one.
 * Both reject with `ApiError` when the server refuses, and with any other error when it could not be asked.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Opens a watch (`watch=true` is already in `query`). The promise settles when the server has accepted or refused;
   * the iteration ends when the server closes the stream and throws when the connection breaks. Aborting `signal` ends it.
   * Events come in arrays, as many as were at hand, so that a reader can work in batches.
   */
  watch(request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>>;
  /**
   * Asks for a list and hands its objects on while they arrive, as a watch that streams them first would: an ADDED for each, then
   * a BOOKMARK with the list's version and the annotation `k8s.io/initial-events-end`, then the end. Absent where lists come only whole.
   */
  readonly list?: (request: TransportRequest) => Promise<AsyncIterable<readonly WatchEvent[]>>;
  close(): Promise<void>;
}
