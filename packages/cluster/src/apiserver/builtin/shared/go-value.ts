import { readFileSync } from 'node:fs';
import { isObject, type ReadJson } from './draft.ts';

/** One field of an internal type: how the server's text calls it, how the API does, and what it holds. */
interface GoField {
  /** `''`: an embedded struct whose own form is printed in place. */
  readonly name: string;
  readonly json: string;
  readonly type: string;
}

const structs = new Map<string, readonly GoField[]>();
let table: Readonly<Record<string, readonly string[]>> | undefined;

function fieldOf(text: string): GoField {
  const colon = text.indexOf(':');
  const [name = '', json] = text.slice(0, colon).split('=');
  const plain = name.slice(0, 1).toLowerCase() + name.slice(1);
  return { name, json: json ?? plain, type: text.slice(colon + 1) };
}

function fieldsOf(type: string): readonly GoField[] {
  let fields = structs.get(type);
  if (!fields) {
    table ??= JSON.parse(readFileSync(new URL('../generated/go-structs.json', import.meta.url), 'utf8')) as Record<
      string,
      readonly string[]
    >;
    const texts = table[type];
    if (!texts) throw new Error(`${type} is none of the types in go-structs.json`);
    fields = texts.map(fieldOf);
    structs.set(type, fields);
  }
  return fields;
}

const zeros: Readonly<Record<string, unknown>> = { s: '', n: 0, b: false, q: '0', x: null };

/** Keys of maps are printed in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/**
 * A value of the API in the form in which the server's messages print it: with all fields of its internal type, in their order
 * and by their names.
 * @param type `core.PodSpec`; `[]` before it for a list, `*` for what may be null, `{}` for a map
 */
export function goValue(value: unknown, type: string): unknown {
  if (type.startsWith('*')) return value === undefined || value === null ? null : goValue(value, type.slice(1));
  if (type.startsWith('[]')) {
    return Array.isArray(value) ? value.map((item) => goValue(item, type.slice(2))) : null;
  }
  if (type.startsWith('{}')) {
    if (!isObject(value)) return null;
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map((key) => [key, goValue(value[key], type.slice(2))]),
    );
  }
  if (type in zeros) return type === 'x' ? ordered(value) : (value ?? zeros[type]);
  const object: ReadJson = isObject(value) ? value : {};
  const result: Record<string, unknown> = {};
  for (const { name, json, type: part } of fieldsOf(type)) {
    if (name === '') Object.assign(result, ordered(object[json] ?? {}));
    else result[name] = goValue(object[json], part);
  }
  return result;
}

const metadataOrder = ['name', 'generateName', 'namespace', 'labels', 'annotations'];
const selectorOrder = ['matchLabels', 'matchExpressions'];

/** What is printed as the API writes it, in the order of its types. */
function ordered(value: unknown): unknown {
  if (!isObject(value)) return value ?? null;
  const keys = [...metadataOrder, ...selectorOrder].filter((key) => value[key] !== undefined);
  const rest = Object.keys(value).filter((key) => !keys.includes(key));
  return Object.fromEntries([...keys, ...rest].map((key) => [key, sorted(value[key])]));
}
