import { ConfigMap, Secret } from '@coxswain/k8s';
import type { FindObject } from '../find-object.ts';
import { RuntimeRefusal } from '../runtime.ts';

/** A ConfigMap or Secret, or a key of it, as a container's environment names it. */
export interface Reference {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

/** What an environment needs is not there, or says nothing sensible. */
export function refusal(message: string): RuntimeRefusal {
  return new RuntimeRefusal('CreateContainerConfigError', message);
}

/** The values of the ConfigMaps and Secrets of one namespace, each object looked up once. */
export class ConfigSources {
  readonly #find: FindObject;
  readonly #namespace: string;
  readonly #known = new Map<string, Promise<ReadonlyMap<string, string> | undefined>>();

  constructor(find: FindObject, namespace: string) {
    this.#find = find;
    this.#namespace = namespace;
  }

  /** All values; `undefined` when there is no such object and need not be. @throws RuntimeRefusal when it has to be there */
  async all(
    kind: 'ConfigMap' | 'Secret',
    { name = '', optional = false }: Reference,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const id = `${kind}/${name}`;
    const values = this.#known.get(id) ?? (kind === 'ConfigMap' ? this.#configMap(name) : this.#secret(name));
    this.#known.set(id, values);
    const found = await values;
    if (!found && !optional) throw refusal(`${kind.toLowerCase()} "${name}" not found`);
    return found;
  }

  /** One value; `undefined` when it is not there and need not be. @throws RuntimeRefusal when it has to be there */
  async value(kind: 'ConfigMap' | 'Secret', reference: Reference): Promise<string | undefined> {
    const { name = '', key = '', optional = false } = reference;
    const value = (await this.all(kind, reference))?.get(key);
    if (value === undefined && !optional)
      throw refusal(`couldn't find key ${key} in ${kind} ${this.#namespace}/${name}`);
    return value;
  }

  async #configMap(name: string): Promise<ReadonlyMap<string, string> | undefined> {
    const map = await this.#find(ConfigMap, { namespace: this.#namespace, name });
    return map && new Map(Object.entries(map.data ?? {}));
  }

  async #secret(name: string): Promise<ReadonlyMap<string, string> | undefined> {
    const secret = await this.#find(Secret, { namespace: this.#namespace, name });
    const text = (value: string) => Buffer.from(value, 'base64').toString();
    return secret && new Map(Object.entries(secret.data ?? {}).map(([key, value]) => [key, text(value)]));
  }
}
