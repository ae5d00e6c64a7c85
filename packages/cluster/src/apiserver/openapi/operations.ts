import { definitionName } from '../builtin/resources.ts';
import { subresourcesOf } from '../discovery/subresources.ts';
import type { ResourceInfo, SubresourceInfo } from '../types.ts';
import { connectParameters, logParameters } from './connect.ts';
import { builtinTypes, customTypes, type MediaTypes } from './media-types.ts';
import { capital, pointer, publishedName, tagOf, versionWord } from './names.ts';
import type { GroupVersionKind, HttpMethod, Operation, Operations, PublishedSchema } from './operation.ts';
import { inPath, type Parameter, queries } from './parameters.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const status = pointer(`${meta}.Status`);
const deleteOptions = pointer(`${meta}.DeleteOptions`);
const patchBody = pointer(`${meta}.Patch`);

type Rest = Partial<Operation> & Pick<Operation, 'method' | 'action' | 'id'>;

/** Writes the operations of one resource. */
class ResourceOperations {
  readonly #resource: ResourceInfo;
  readonly #into: Operations;
  readonly #types: MediaTypes;
  readonly #object: PublishedSchema;
  readonly #root: string;
  /** Path of the collection, and its parameters. */
  readonly #collection: string;
  readonly #scope: readonly Parameter[];

  constructor(resource: ResourceInfo, into: Operations) {
    const { group, version, namespaced, plural } = resource;
    this.#resource = resource;
    this.#into = into;
    this.#types = resource.builtIn ? builtinTypes : customTypes;
    this.#object = pointer(publishedName(resource));
    this.#root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    this.#collection = `${namespaced ? 'namespaces/{namespace}/' : ''}${plural}`;
    this.#scope = namespaced ? inPath('namespace') : [];
  }

  write(): void {
    const item = `${this.#collection}/{name}`;
    this.#writeCollection();
    this.#writeItem(item);
    for (const subresource of subresourcesOf(this.#resource)) {
      this.#writeSubresource(`${item}/${subresource.name}`, subresource);
    }
    if (this.#resource.builtIn && this.#can('watch')) this.#writeWatches(item);
  }

  #can(verb: string): boolean {
    return this.#resource.verbs.includes(verb);
  }

  #add(path: string, parameters: readonly Parameter[], rest: Rest): void {
    const { group, version, kind } = this.#resource;
    const operation: Operation = {
      tag: tagOf(this.#resource),
      kind: { group, version, kind },
      codes: [200],
      answer: this.#object,
      produces: this.#types.object,
      ...rest,
      parameters: [...parameters, ...(rest.parameters ?? [])],
    };
    const full = `${this.#root}/${path}`;
    const there = this.#into.get(full);
    if (there) there.push(operation);
    else this.#into.set(full, [operation]);
  }

  #id(action: string, suffix = '', infix = ''): string {
    const scope = this.#resource.namespaced && !suffix.endsWith('ForAllNamespaces') ? 'Namespaced' : '';
    return `${action}${versionWord(this.#resource)}${infix}${scope}${this.#resource.kind}${suffix}`;
  }

  #list(suffix = ''): Rest {
    const { kind, listKind = `${kind}List` } = this.#resource;
    const name = publishedName(this.#resource);
    const answer = pointer(`${name.slice(0, name.length - kind.length)}${listKind}`);
    const parameters = queries.list;
    const id = this.#id('list', suffix);
    return { method: 'get', action: 'list', id, parameters, answer, produces: this.#types.list };
  }

  #writeCollection(): void {
    const parameters = [...this.#scope, ...queries.pretty];
    const add = (rest: Rest) => this.#add(this.#collection, parameters, rest);
    if (this.#can('list')) add(this.#list());
    if (this.#can('create')) add(this.#post('', queries.write, this.#object));
    if (this.#can('deletecollection')) add(this.#deleteMany());
    if (this.#resource.namespaced && this.#can('list')) {
      this.#add(this.#resource.plural, queries.pretty, this.#list('ForAllNamespaces'));
    }
  }

  #deleteMany(): Rest {
    const { builtIn } = this.#resource;
    return {
      method: 'delete',
      action: 'deletecollection',
      id: this.#id('delete', '', 'Collection'),
      // Custom resources are described with the options of a list.
      parameters: builtIn ? queries.deleteMany : queries.list,
      ...(builtIn ? { body: { schema: deleteOptions, types: this.#types.body, required: false } } : {}),
      answer: status,
    };
  }

  #post(suffix: string, parameters: readonly Parameter[], schema: PublishedSchema): Rest {
    const body = { schema, types: this.#types.body, required: true };
    const id = this.#id('create', suffix);
    return { method: 'post', action: 'post', id, parameters, body, codes: [200, 201, 202], answer: schema };
  }

  #put(suffix: string, schema: PublishedSchema): Rest {
    const body = { schema, types: this.#types.body, required: true };
    const id = this.#id('replace', suffix);
    const parameters = queries.write;
    return { method: 'put', action: 'put', id, parameters, body, codes: [200, 201], answer: schema };
  }

  #patch(suffix: string, answer: PublishedSchema): Rest {
    const body = { schema: patchBody, types: this.#types.patch, required: true };
    const codes = this.#resource.builtIn ? [200, 201] : [200];
    const id = this.#id('patch', suffix);
    return { method: 'patch', action: 'patch', id, parameters: queries.patch, body, codes, answer };
  }

  #read(suffix: string, answer: PublishedSchema): Rest {
    const parameters = this.#resource.builtIn ? [] : queries.version;
    return { method: 'get', action: 'get', id: this.#id('read', suffix), parameters, answer };
  }

  #writeItem(path: string): void {
    const add = (rest: Rest) => this.#add(path, [...inPath('name'), ...this.#scope, ...queries.pretty], rest);
    if (this.#can('get')) add(this.#read('', this.#object));
    if (this.#can('update')) add(this.#put('', this.#object));
    if (this.#can('delete')) {
      const answer = this.#resource.strategy.deleteReturnsObject === true && this.#resource.builtIn;
      add({
        method: 'delete',
        action: 'delete',
        id: this.#id('delete'),
        parameters: queries.delete,
        body: { schema: deleteOptions, types: this.#types.body, required: false },
        codes: [200, 202],
        answer: answer && this.#resource.plural !== 'namespaces' ? this.#object : status,
      });
    }
    if (this.#can('patch')) add(this.#patch('', this.#object));
  }

  #writeSubresource(path: string, subresource: SubresourceInfo): void {
    const { name, kind, group = this.#resource.group, version = this.#resource.version, verbs } = subresource;
    const connection = connectParameters(kind);
    if (connection) {
      this.#writeConnection(path, subresource, connection);
      return;
    }
    const suffix = name === 'ephemeralcontainers' ? 'Ephemeralcontainers' : capital(name);
    const own = kind === this.#resource.kind;
    const schema = own ? this.#object : pointer(definitionName(group, version, kind));
    // A custom resource's scale is described as if it were the resource.
    const described: { kind?: GroupVersionKind } = this.#resource.builtIn ? { kind: { group, version, kind } } : {};
    const parameters = [...inPath('name'), ...this.#scope, ...queries.pretty];
    const add = (rest: Rest) => this.#add(path, parameters, { ...described, ...rest });
    if (name === 'log') {
      const text = { type: 'string' };
      add({ ...this.#read(suffix, text), parameters: logParameters, produces: [...this.#types.object, 'text/plain'] });
      return;
    }
    if (verbs.includes('get')) add(this.#read(suffix, schema));
    if (verbs.includes('update')) add(this.#put(suffix, schema));
    if (verbs.includes('create')) add(this.#post(suffix, queries.write, schema));
    if (verbs.includes('patch')) add(this.#patch(suffix, schema));
  }

  #writeConnection(path: string, { name, kind, verbs }: SubresourceInfo, own: readonly Parameter[]): void {
    const all: readonly HttpMethod[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
    const methods = verbs.includes('update') ? all : (['get', 'post'] as const);
    const { group, version } = this.#resource;
    const suffix = name === 'portforward' ? 'Portforward' : capital(name);
    const write = (full: string, ending: string, more: readonly Parameter[]) => {
      for (const method of methods) {
        this.#add(full, [...inPath('name'), ...this.#scope, ...own, ...more], {
          method,
          action: 'connect',
          id: this.#id('connect', `${suffix}${ending}`, capital(method)),
          kind: { group, version, kind },
          answer: { type: 'string' },
          produces: ['*/*'],
        });
      }
    };
    write(path, '', []);
    if (name === 'proxy') write(`${path}/{path}`, 'WithPath', inPath('path'));
  }

  #writeWatches(item: string): void {
    const types = this.#types.list;
    const answer = pointer(`${meta}.WatchEvent`);
    const parameters = [...queries.list, ...queries.pretty];
    const add = (path: string, scope: readonly Parameter[], action: string, suffix: string) =>
      this.#add(`watch/${path}`, scope, {
        method: 'get',
        action,
        id: this.#id('watch', suffix),
        parameters,
        answer,
        produces: types,
      });
    add(this.#collection, this.#scope, 'watchlist', 'List');
    add(item, [...inPath('name'), ...this.#scope], 'watch', '');
    if (this.#resource.namespaced) add(this.#resource.plural, [], 'watchlist', 'ListForAllNamespaces');
  }
}

/** The operations on the resources of one group and version. */
export function operationsOf(resources: readonly ResourceInfo[]): Operations {
  const into: Operations = new Map();
  for (const resource of resources) new ResourceOperations(resource, into).write();
  return into;
}
