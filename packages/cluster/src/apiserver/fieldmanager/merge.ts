import { isTree, own, put, type Tree } from '../patch/index.ts';
import { deducedType, type FieldType, type ListType, type MapType } from './field-type.ts';
import { itemElements } from './list-items.ts';
import type { PathElement } from './path-element.ts';
import { isEmptyList, isEmptyMap, shapeOf } from './shape.ts';

/**
 * Lays a configuration over an object. Nothing is removed; leaves of the configuration win; items of sets and keyed lists
 * come in the configuration's order, others keep their place as far as possible. Answers `live` itself when nothing changes.
 * @throws TypeMismatch
 */
export function mergeConfig(type: FieldType, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const shape = shapeOf(type, config);
  if (shape === 'map' && type.map) return mergeMaps(type.map, live, config);
  if (shape === 'list' && type.list) return mergeLists(type.list, live, config);
  return live === config ? live : config;
}

function mergeMaps(type: MapType, live: unknown, config: unknown): unknown {
  if (type.atomic || (isEmptyMap(live) && isEmptyMap(config))) return config;
  if (!isTree(live)) return config;
  if (!isTree(config)) return live;
  let merged: Tree | undefined;
  for (const key of Object.keys(config)) {
    const before = own(live, key);
    const after = mergeConfig(type.member(key) ?? deducedType, before, config[key]);
    if (after === before) continue;
    merged ??= { ...live };
    put(merged, key, after);
  }
  return merged ?? live;
}

function mergeLists(type: ListType, live: unknown, config: unknown): unknown {
  if (type.atomic || (isEmptyList(live) && isEmptyList(config))) return config;
  if (!Array.isArray(live)) return config;
  if (!Array.isArray(config)) return live;
  const merged = new ListMerge(type, live, config).run();
  const same = merged.length === live.length && merged.every((item, i) => item === live[i]);
  return same ? live : merged;
}

/**
 * Both lists are walked at once. Items on both sides keep the configuration's order; items only in the live list go ahead of
 * the configured item they stood before.
 */
class ListMerge {
  readonly #type: ListType;
  readonly #live: readonly unknown[];
  readonly #config: readonly unknown[];
  readonly #left: readonly PathElement[];
  readonly #right: readonly PathElement[];
  /** Live items by element; an element that occurs twice has none, its items are not merged with the new one. */
  readonly #liveItems = new Map<PathElement, unknown>();
  readonly #configured: ReadonlySet<PathElement>;
  readonly #shared: PathElement[];
  readonly #done = new Set<PathElement>();
  readonly #out: unknown[] = [];

  constructor(type: ListType, live: readonly unknown[], config: readonly unknown[]) {
    this.#type = type;
    this.#live = live;
    this.#config = config;
    this.#left = itemElements(type, live);
    this.#right = itemElements(type, config);
    this.#left.forEach((element, i) => {
      this.#liveItems.set(element, this.#liveItems.has(element) ? undefined : live[i]);
    });
    this.#configured = new Set(this.#right);
    this.#shared = this.#right.filter((element) => this.#liveItems.has(element));
  }

  run(): readonly unknown[] {
    let l = 0;
    let r = 0;
    while (l < this.#left.length || r < this.#right.length) {
      const left = this.#left[l];
      const right = this.#right[r];
      if (left !== undefined && left === right) {
        this.#take(left, r);
        this.#shared.shift();
        l++;
        r++;
        continue;
      }
      if (left !== undefined && !this.#configured.has(left)) {
        this.#out.push(this.#live[l]);
        l++;
        continue;
      }
      if (left !== undefined && right !== undefined && this.#shared.length > 0 && this.#shared[0] !== left) {
        l++;
        continue;
      }
      if (left !== undefined && this.#done.has(left)) l++;
      if (right !== undefined) {
        this.#take(right, r);
        if (this.#shared[0] === right) this.#shared.shift();
        r++;
      }
    }
    return this.#out;
  }

  #take(element: PathElement, configIndex: number): void {
    this.#done.add(element);
    this.#out.push(mergeConfig(this.#type.element, this.#liveItems.get(element), this.#config[configIndex]));
  }
}
