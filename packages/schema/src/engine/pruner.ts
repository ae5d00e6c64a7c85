import { schemaTable } from '@coxswain/k8s/schemas';
import type { SchemaNode } from '../node.ts';
import { type Deref, makeDeref } from './reference.ts';

/** Removes unknown fields below a value that is an object or a list. */
type Prune = (value: object, trail: Trail) => void;

/** Where the walk is, and what it has removed. */
class Trail {
  readonly removed: string[] = [];
  readonly #steps: (string | number)[] = [];

  /** Prunes a part of the value under its own path. Scalars have nothing to prune. */
  enter(step: string | number, value: unknown, prune: Prune): void {
    if (typeof value !== 'object' || value === null) return;
    this.#steps.push(step);
    prune(value, this);
    this.#steps.pop();
  }

  remove(fields: Record<string, unknown>, name: string): void {
    delete fields[name];
    this.#steps.push(name);
    this.removed.push(this.#steps.map(stepText).join(''));
    this.#steps.pop();
  }
}

function stepText(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  return index === 0 ? step : `.${step}`;
}

/** Compiles nodes to pruning, each once. */
export class Pruner {
  readonly #deref: Deref;
  readonly #prunes = new WeakMap<SchemaNode, Prune>();
  readonly #resources = new WeakMap<SchemaNode, Prune>();

  constructor(deref: Deref) {
    this.#deref = deref;
  }

  /** Prunes in place; answers the removed paths, sorted. A resource keeps `apiVersion`, `kind` and `metadata`. */
  run(root: SchemaNode, value: object, resource: boolean): string[] {
    const trail = new Trail();
    if (resource) this.#resource(this.#deref(root))(value, trail);
    else this.#prune(root)(value, trail);
    return trail.removed.sort();
  }

  /** Goes on with a walk that began with another pruner. */
  into(node: SchemaNode, value: object, trail: Trail): void {
    this.#prune(node)(value, trail);
  }

  #prune(reference: SchemaNode | undefined): Prune {
    if (!reference) return pruneAll;
    let prune = this.#prunes.get(reference);
    if (!prune) {
      prune = this.#compile(reference);
      this.#prunes.set(reference, prune);
    }
    return prune;
  }

  #resource(node: SchemaNode): Prune {
    let prune = this.#resources.get(node);
    if (!prune) {
      prune = objectPrune(this.#children(node, true));
      this.#resources.set(node, prune);
    }
    return prune;
  }

  #compile(reference: SchemaNode): Prune {
    let object: Prune | undefined;
    let list: Prune | undefined;
    return (value, trail) => {
      if (Array.isArray(value)) {
        list ??= this.#list(this.#deref(reference));
        list(value, trail);
        return;
      }
      if (!object) {
        const node = this.#deref(reference);
        const resource = node['x-kubernetes-embedded-resource'] === true;
        object = resource ? this.#resource(node) : objectPrune(this.#children(node, false));
      }
      object(value, trail);
    };
  }

  #list(node: SchemaNode): Prune {
    const { items } = node;
    if (!node['x-kubernetes-preserve-unknown-fields']) return listPrune(this.#prune(items));
    // Below a list that keeps unknown fields its items keep them too.
    if (!items) return keepAll;
    return listPrune(this.#prune({ ...this.#deref(items), 'x-kubernetes-preserve-unknown-fields': true }));
  }

  #children(node: SchemaNode, resource: boolean): Children {
    const { properties = {}, additionalProperties } = node;
    const named = new Map<string, Prune>();
    for (const [name, child] of Object.entries(properties)) named.set(name, this.#prune(child));
    if (resource) {
      named.set('apiVersion', keepAll).set('kind', keepAll);
      // Built-in kinds say themselves what their metadata is; in a CRD it is always ObjectMeta, whatever the schema says.
      named.set('metadata', properties.metadata?.$ref === undefined ? pruneMetadata : this.#prune(properties.metadata));
    }
    const keeps = node['x-kubernetes-preserve-unknown-fields'] === true;
    const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    return { named, others: additionalProperties === undefined ? undefined : this.#prune(others), keeps };
  }
}

interface Children {
  readonly named: ReadonlyMap<string, Prune>;
  /** How values of unnamed properties are pruned; undefined when there may be none. */
  readonly others: Prune | undefined;
  readonly keeps: boolean;
}

function objectPrune({ named, others, keeps }: Children): Prune {
  return (value, trail) => {
    const fields = value as Record<string, unknown>;
    for (const name in fields) {
      const prune = named.get(name) ?? others;
      if (prune) trail.enter(name, fields[name], prune);
      else if (!keeps) trail.remove(fields, name);
    }
  };
}

function listPrune(prune: Prune): Prune {
  return (value, trail) => {
    const list = value as readonly unknown[];
    for (let i = 0; i < list.length; i++) trail.enter(i, list[i], prune);
  };
}

const keepAll: Prune = () => {};

/** Below a place without a schema every field is unknown. */
const pruneAll: Prune = (value, trail) => {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) trail.enter(index, item, pruneAll);
    return;
  }
  for (const name in value) trail.remove(value as Record<string, unknown>, name);
};

let metadata: Pruner | undefined;
const objectMeta: SchemaNode = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };

function pruneMetadata(value: object, trail: Trail): void {
  metadata ??= new Pruner(makeDeref((name) => schemaTable<SchemaNode>()[name] ?? {}));
  metadata.into(objectMeta, value, trail);
}
