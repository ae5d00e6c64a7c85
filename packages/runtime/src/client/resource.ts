import { apiVersionOf, type Kind, type KubeList, type KubeObject, pathOf, resourceName } from '@coxswain/k8s';
import { isNotFound, keyOf, keyString, type ObjectKey } from '../core/index.ts';
import { checkAnswer } from './check-answer.ts';
import { checkList } from './check-list.ts';
import { checkPatch, patchContentType } from './patch.ts';
import { deleteBody, listQuery, watchQuery, wholeListQuery, writeQuery } from './query.ts';
import { ResourceVerbs } from './resource-verbs.ts';
import type { TransportRequest, WatchEvent } from './transport.ts';
import type {
  CallOptions,
  DeleteOptions,
  ListOptions,
  ParsingOptions,
  Patch,
  PatchOptions,
  Resource,
  ServerSideApplyOptions,
  Subresource,
  WatchOptions,
  WriteOptions,
} from './types.ts';

/** What a resource needs of its client: calls with timeouts and retries, and the name to write under. */
export interface Caller {
  readonly fieldManager: string | undefined;
  /** @param what names the call in errors: `update pods default/web-0` */
  call(what: string, request: TransportRequest, options: CallOptions | undefined): Promise<unknown>;
  watch(what: string, request: TransportRequest, options: CallOptions): Promise<WatchStream>;
  /** Absent: lists come only whole. */
  readonly list?: ((what: string, request: TransportRequest, options: CallOptions) => Promise<WatchStream>) | undefined;
}

type WatchStream<T extends KubeObject = KubeObject> = AsyncIterable<readonly WatchEvent<T>[]>;

const partialList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const partialObject = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** The verbs of one kind over a {@link Caller}. */
export class KindResource<T extends KubeObject> extends ResourceVerbs<T> implements Resource<T, KubeObject> {
  readonly #kind: Kind<T>;
  readonly #caller: Caller;
  readonly listStream: Resource<T>['listStream'];

  constructor(kind: Kind<T>, caller: Caller) {
    super();
    this.#kind = kind;
    this.#caller = caller;
    const { list } = caller;
    if (list) this.listStream = (options) => this.#stream(list, 'list', wholeListQuery(options ?? {}), options);
  }

  async get(key: ObjectKey, options?: CallOptions): Promise<T> {
    return await this.#one('get', key, { method: 'GET', path: this.#path(key) }, options);
  }

  async find(key: ObjectKey, options?: CallOptions): Promise<T | undefined> {
    try {
      return await this.get(key, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list(options: ListOptions = {}): Promise<KubeList<T>> {
    const request: TransportRequest = {
      method: 'GET',
      path: pathOf(this.#kind, options.namespace),
      query: listQuery(options),
      ...parsingOf(options),
      ...(options.metadataOnly ? { accept: partialList } : {}),
    };
    const what = this.#what('list', options.namespace);
    const list = (await this.#caller.call(what, request, options)) as KubeList<T>;
    checkAnswer(what, list);
    checkList(list);
    return { ...list, items: (list.items ?? []).map((item) => this.#named(item)) };
  }

  async *listAll(options: ListOptions = {}): AsyncIterable<T> {
    let next = options.continue;
    do {
      const page: KubeList<T> = await this.list(next === undefined ? options : pageAfter(options, next));
      yield* page.items;
      next = page.metadata.continue || undefined;
    } while (next !== undefined);
  }

  async create(object: KubeObject, options: WriteOptions = {}): Promise<T> {
    const { namespace } = object.metadata;
    return await this.#write(
      'create',
      keyOf(object),
      'POST',
      pathOf(this.#kind, this.#required('create', object, namespace)),
      object,
      options,
    );
  }

  async update(object: T, options: WriteOptions = {}): Promise<T> {
    return await this.#write('update', keyOf(object), 'PUT', this.#path(keyOf(object)), object, options);
  }

  async updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    return await this.#write(
      'update status of',
      keyOf(object),
      'PUT',
      this.#path(keyOf(object), 'status'),
      object,
      options,
    );
  }

  async patch(key: ObjectKey, patch: Patch, options: PatchOptions = {}): Promise<T> {
    const { subresource } = options;
    const body = patch.type === 'apply' ? { type: patch.type, body: this.#named(patch.body as KubeObject) } : patch;
    const verb = subresource ? `patch ${subresource} of` : 'patch';
    return await this.#one(verb, key, this.#patching(key, body, options, subresource), options);
  }

  subresource<S extends object = T>(name: string): Subresource<S> {
    const write = async (verb: string, method: 'POST' | 'PUT', key: ObjectKey, body: object, options: WriteOptions) => {
      const query = writeQuery(options, this.#caller.fieldManager);
      return await this.#part<S>(
        `${verb} ${name} of`,
        key,
        { method, path: this.#path(key, name), query, body },
        options,
      );
    };
    return {
      get: async (key, options) =>
        await this.#part<S>(`get ${name} of`, key, { method: 'GET', path: this.#path(key, name) }, options),
      create: (key, body, options = {}) => write('create', 'POST', key, body, options),
      update: (key, body, options = {}) => write('update', 'PUT', key, body, options),
      patch: async (key, patch, options = {}) =>
        await this.#part<S>(`patch ${name} of`, key, this.#patching(key, patch, options, name), options),
    };
  }

  async delete(key: ObjectKey, options: DeleteOptions = {}): Promise<T | undefined> {
    const request: TransportRequest = { method: 'DELETE', path: this.#path(key), body: deleteBody(options) };
    const answer = await this.#one<T>('delete', key, request, options);
    return answer.kind === 'Status' || isGone(answer) ? undefined : answer;
  }

  async deleteCollection(options: ListOptions & DeleteOptions): Promise<void> {
    const request: TransportRequest = {
      method: 'DELETE',
      path: pathOf(this.#kind, options.namespace),
      query: wholeListQuery(options),
      body: deleteBody(options),
    };
    await this.#caller.call(this.#what('delete all', options.namespace), request, options);
  }

  async watch(options: WatchOptions = {}): Promise<WatchStream<T>> {
    return await this.#stream(this.#caller.watch, 'watch', watchQuery(options), options);
  }

  #stream(
    open: Caller['watch'],
    verb: string,
    query: Record<string, string>,
    options: Omit<ListOptions, 'limit' | 'continue'> = {},
  ): Promise<WatchStream<T>> {
    const accept = verb === 'watch' ? partialObject : partialList;
    const request: TransportRequest = {
      method: 'GET',
      path: pathOf(this.#kind, options.namespace),
      query,
      ...parsingOf(options),
      ...(options.metadataOnly ? { accept } : {}),
    };
    return open(this.#what(verb, options.namespace), request, options) as Promise<WatchStream<T>>;
  }

  #write(
    verb: string,
    key: ObjectKey,
    method: 'POST' | 'PUT',
    path: string,
    object: KubeObject,
    options: WriteOptions,
  ): Promise<T> {
    const query = writeQuery(options, this.#caller.fieldManager);
    return this.#one(verb, key, { method, path, query, body: this.#named(object), ...parsingOf(options) }, options);
  }

  #patching(
    key: ObjectKey,
    patch: Patch,
    options: ServerSideApplyOptions,
    subresource: string | undefined,
  ): TransportRequest {
    checkPatch(this.#kind, patch);
    return {
      method: 'PATCH',
      path: this.#path(key, subresource),
      query: writeQuery(options, this.#caller.fieldManager),
      ...parsingOf(options),
      contentType: patchContentType[patch.type],
      body: patch.body,
    };
  }

  async #one<S = T>(
    verb: string,
    key: ObjectKey,
    request: TransportRequest,
    options: CallOptions | undefined,
  ): Promise<S> {
    const what = this.#what(verb, keyString(key));
    const answer = await this.#caller.call(what, request, options);
    checkAnswer(what, answer);
    return answer as S;
  }

  /** What a subresource answers: of some (`log`) it is a text. */
  async #part<S>(
    verb: string,
    key: ObjectKey,
    request: TransportRequest,
    options: CallOptions | undefined,
  ): Promise<S> {
    return (await this.#caller.call(this.#what(verb, keyString(key)), request, options)) as S;
  }

  #path(key: ObjectKey, subresource?: string): string {
    if (key.name === '') throw new Error(`${resourceName(this.#kind)}: an object needs a name to be addressed`);
    return pathOf(this.#kind, this.#required('address', { metadata: key }, key.namespace), key.name, subresource);
  }

  /** The namespace, which a namespaced object must say: nothing is guessed. */
  #required(
    verb: string,
    object: { readonly metadata: { readonly name: string } },
    namespace: string | undefined,
  ): string | undefined {
    if (this.#kind.scope === 'Namespaced' && !namespace) {
      throw new Error(
        `cannot ${verb} ${resourceName(this.#kind)} "${object.metadata.name}": metadata.namespace is not set`,
      );
    }
    return namespace;
  }

  /** The object with its apiVersion and kind, which items of lists and drafts may leave out. */
  #named<O extends KubeObject>(object: O): O {
    if (object.kind !== undefined && object.apiVersion !== undefined) return object;
    return { ...object, apiVersion: apiVersionOf(this.#kind), kind: this.#kind.kind };
  }

  #what(verb: string, of: string | undefined): string {
    return of ? `${verb} ${resourceName(this.#kind)} ${of}` : `${verb} ${resourceName(this.#kind)}`;
  }
}

function parsingOf({ keepManagedFields }: ParsingOptions): Pick<TransportRequest, 'keepManagedFields'> {
  return keepManagedFields ? { keepManagedFields } : {};
}

/** A page token carries its resource version; sending both is refused. */
function pageAfter(options: ListOptions, token: string): ListOptions {
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = options;
  return { ...rest, continue: token };
}

/**
 * Whether an object that a write answered is no longer there: it is being deleted and neither a finalizer (its own, or a
 * namespace's in `spec`) nor a grace period holds it; or it was deleted at once and is answered as it last was.
 */
function isGone(object: KubeObject): boolean {
  const { finalizers, deletionGracePeriodSeconds } = object.metadata;
  const held = (object as { readonly spec?: { readonly finalizers?: readonly string[] } }).spec?.finalizers;
  return !finalizers?.length && !held?.length && !(deletionGracePeriodSeconds && deletionGracePeriodSeconds > 0);
}
