import { type Kind, type KubeObject, parseApiVersion } from '@coxswain/k8s';
import {
  type Authorship,
  type Client,
  createAuthorship,
  type DeleteOptions,
  deleteAuthorship,
  isObject,
  type ParsingOptions,
  type Patch,
  type PatchOptions,
  patchAuthorship,
  type Resource,
  ResourceVerbs,
  type Subresource,
  updateAuthorship,
  type WriteOptions,
} from '../client/index.ts';
import { isNotFound, type ObjectKey } from '../core/index.ts';
import type { OwnWriteSink } from './cache.ts';

/**
 * A client whose writes show in the stores as soon as they are answered. Reads still ask the server. Answers of writes are as in the
 * stores: without managedFields, where a transport parses texts.
 * Dry runs, and answers that are not the object itself (`/scale`), are left to the watch.
 * @param origin comes with the store events of these writes, so that a controller can tell its own
 */
export function withReadYourWrites(client: Client, cache: OwnWriteSink, origin?: object): Client {
  return {
    transport: client.transport,
    raw: (request) => client.raw(request),
    of: <T extends KubeObject>(kind: Kind<T>): Resource<T, KubeObject> =>
      new WriteThrough(client.of<T, KubeObject>(kind), kind, cache, origin),
  };
}

class WriteThrough<T extends KubeObject> extends ResourceVerbs<T> implements Resource<T, KubeObject> {
  readonly #resource: Resource<T, KubeObject>;
  readonly #kind: Kind<T>;
  readonly #cache: OwnWriteSink;
  readonly #origin: object | undefined;
  readonly get: Resource<T>['get'];
  readonly find: Resource<T>['find'];
  readonly list: Resource<T>['list'];
  readonly listAll: Resource<T>['listAll'];
  readonly watch: Resource<T>['watch'];
  readonly deleteCollection: Resource<T>['deleteCollection'];

  constructor(resource: Resource<T, KubeObject>, kind: Kind<T>, cache: OwnWriteSink, origin: object | undefined) {
    super();
    this.#resource = resource;
    this.#kind = kind;
    this.#cache = cache;
    this.#origin = origin;
    this.get = (key, options) => resource.get(key, options);
    this.find = (key, options) => resource.find(key, options);
    this.list = (options) => resource.list(options);
    this.listAll = (options) => resource.listAll(options);
    this.watch = (options) => resource.watch(options);
    this.deleteCollection = (options) => resource.deleteCollection(options);
  }

  create(object: KubeObject, options?: WriteOptions): Promise<T> {
    const write = () => this.#resource.create(object, this.#parsing(options));
    return this.#write(object.metadata, options, createAuthorship, write);
  }

  update(object: T, options?: WriteOptions): Promise<T> {
    const write = () => this.#resource.update(object, this.#parsing(options));
    return this.#write(object.metadata, options, updateAuthorship(object), write);
  }

  updateStatus(object: T, options?: WriteOptions): Promise<T> {
    const write = () => this.#resource.updateStatus(object, this.#parsing(options));
    return this.#write(object.metadata, options, updateAuthorship(object), write);
  }

  patch(key: ObjectKey, patch: Patch, options?: PatchOptions): Promise<T> {
    const write = () => this.#resource.patch(key, patch, this.#parsing(options));
    return this.#write(key, options, patchAuthorship(patch), write);
  }

  /** What answers the object itself (`status`, `resize`, `ephemeralcontainers` …) is taken like any write. */
  subresource<S extends object = T>(name: string): Subresource<S> {
    const inner = this.#resource.subresource<S>(name);
    return {
      get: (key, options) => inner.get(key, options),
      create: (key, body, options) =>
        this.#write(
          key,
          options,
          () => false,
          () => inner.create(key, body, options),
        ),
      update: (key, body, options) =>
        this.#write(key, options, isObject(body) ? updateAuthorship(body) : () => false, () =>
          inner.update(key, body, options),
        ),
      patch: (key, patch, options) =>
        this.#write(key, options, patchAuthorship(patch), () => inner.patch(key, patch, options)),
    };
  }

  async delete(key: ObjectKey, options?: DeleteOptions): Promise<T | undefined> {
    const gone = this.#cache.deleting(this.#kind, key);
    try {
      const left = await this.#resource.delete(key, options);
      if (options?.dryRun) return left;
      if (left) this.#take(left, deleteAuthorship(options));
      else gone(this.#origin);
      return left;
    } catch (error) {
      if (isNotFound(error) && !options?.dryRun) gone(this.#origin);
      throw error;
    }
  }

  async #write<S extends object>(
    key: ObjectKey,
    options: WriteOptions | undefined,
    isOurs: Authorship,
    write: () => Promise<S>,
  ): Promise<S> {
    const gone = this.#cache.deleting(this.#kind, key);
    const answer = await write();
    if (options?.dryRun || !isObject(answer) || !this.#isOurKind(answer)) return answer;
    // Taking off the last finalizer ends an object: the answer is its last state.
    if (isEnded(answer)) gone(this.#origin);
    else this.#take(answer, isOurs);
    return answer;
  }

  #parsing<O extends ParsingOptions>(options: O | undefined): O & ParsingOptions {
    return { keepManagedFields: this.#cache.keepManagedFields, ...(options as O) };
  }

  #take(object: KubeObject, isOurs: Authorship): void {
    this.#cache.written(this.#kind, object, this.#origin, isOurs);
  }

  #isOurKind({ apiVersion, kind }: KubeObject): boolean {
    if (kind === undefined || apiVersion === undefined) return true;
    const { group, version } = parseApiVersion(apiVersion);
    return kind === this.#kind.kind && group === this.#kind.group && version === this.#kind.version;
  }
}

/** Being deleted, and neither a finalizer (its own, or a namespace's in `spec`) nor a grace period holds it. */
function isEnded(object: KubeObject): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds } = object.metadata;
  const held = (object as { readonly spec?: { readonly finalizers?: readonly string[] } }).spec?.finalizers;
  return deletionTimestamp !== undefined && !finalizers?.length && !held?.length && !deletionGracePeriodSeconds;
}
