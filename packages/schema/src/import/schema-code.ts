import type { Json } from '@coxswain/k8s';
import { sameJson } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import { type Call, type Chain, type Code, literal } from './code.ts';
import { fitsType } from './fits-type.ts';
import { isTakenPattern, ruleCalls } from './rule-code.ts';
import { type Kind, type Shape, shapeOf } from './shape-code.ts';

/** Whether a property may be left out; `value` for what is none: items of lists, values of maps. */
export type Presence = 'required' | 'optional' | 'value';

/** What is still to be said of a node; each step takes what it has a word for. */
type Rest = { -readonly [K in keyof SchemaNode]: SchemaNode[K] };

/** The builder's expression that says exactly what the node says. */
export function schemaCode(node: SchemaNode, presence: Presence = 'value'): Chain {
  const shape = shapeOf(node);
  const rest = unsaid(node, shape.says);
  const calls = [...noteCalls(node, rest), ...facetCalls(shape.kind, rest), ...ruleCallsOf(node, shape.kind, rest)];
  const tail = presenceCalls(node, rest, presence);
  return closed(shape, rest, [calls, tail]);
}

function unsaid(node: SchemaNode, says: SchemaNode): Rest {
  const open = Object.entries(node).filter(([keyword, value]) => {
    return !sameJson(says[keyword as keyof SchemaNode], value);
  });
  return Object.fromEntries(open);
}

/** What no word is for goes into the word itself where that takes keywords, and else into `with`. */
function closed({ chain, says, raw }: Shape, rest: Rest, [calls, tail]: readonly [Call[], Call[]]): Chain {
  const keywords = { ...rest } as Readonly<Record<string, Json>>;
  if (raw) {
    const args = [literal({ ...says, ...keywords } as Json)];
    return { is: 'chain', head: 's', calls: [{ name: 'raw', types: raw.type, args }, ...calls, ...tail] };
  }
  const others = Object.keys(rest).length > 0 ? [{ name: 'with', args: [literal(keywords)] }] : [];
  return { ...chain, calls: [...chain.calls, ...calls, ...others, ...tail] };
}

function taken<K extends keyof Rest>(rest: Rest, keyword: K): Rest[K] {
  const value = rest[keyword];
  delete rest[keyword];
  return value;
}

/** For people to read. */
function noteCalls(node: SchemaNode, rest: Rest): Call[] {
  const calls: Call[] = [];
  if (rest.title !== undefined) calls.push(call('title', taken(rest, 'title')));
  if (rest.description !== undefined) calls.push(call('describe', taken(rest, 'description')));
  const { url, description, ...others } = rest.externalDocs ?? {};
  if (url !== undefined && Object.keys(others).length === 0) {
    delete rest.externalDocs;
    calls.push(call('externalDocs', url, ...(description === undefined ? [] : [description])));
  }
  if (rest.example !== undefined && fitsType(node, rest.example)) calls.push(call('example', taken(rest, 'example')));
  return calls;
}

const sizes = [
  ['minProperties', 'minProperties'],
  ['maxProperties', 'maxProperties'],
] as const;

/** Facets that are one keyword and one method. */
const facets: Readonly<Record<Kind, readonly (readonly [keyof SchemaNode, string])[]>> = {
  string: [
    ['format', 'format'],
    ['minLength', 'minLength'],
    ['maxLength', 'maxLength'],
    ['pattern', 'pattern'],
  ],
  number: [
    ['minimum', 'min'],
    ['maximum', 'max'],
    ['multipleOf', 'multipleOf'],
  ],
  list: [
    ['minItems', 'minItems'],
    ['maxItems', 'maxItems'],
  ],
  map: sizes,
  object: sizes,
  plain: [],
};

const treatments = [
  ['x-kubernetes-map-type', 'atomic', 'atomic'],
  ['x-kubernetes-map-type', 'granular', 'granular'],
  ['x-kubernetes-preserve-unknown-fields', true, 'preserveUnknown'],
] as const;

/** Facets that are switched on. */
const flags: Readonly<Record<Kind, readonly (readonly [keyof SchemaNode, unknown, string])[]>> = {
  string: [],
  number: [],
  list: [['x-kubernetes-list-type', 'atomic', 'atomic']],
  map: treatments,
  object: treatments,
  plain: [],
};

function facetCalls(kind: Kind, rest: Rest): Call[] {
  const calls: Call[] = [];
  for (const [keyword, value, name] of flags[kind]) {
    if (rest[keyword] !== value) continue;
    delete rest[keyword];
    calls.push(call(name));
  }
  if (kind === 'number') calls.push(...exclusiveCalls(rest));
  for (const [keyword, name] of facets[kind]) {
    const value = rest[keyword];
    if (value === undefined || (keyword === 'pattern' && !isTakenPattern(String(value)))) continue;
    delete rest[keyword];
    calls.push(call(name, value as Json));
  }
  return calls;
}

function exclusiveCalls(rest: Rest): Call[] {
  const calls: Call[] = [];
  if (rest.exclusiveMinimum && rest.minimum !== undefined) {
    delete rest.exclusiveMinimum;
    calls.push(call('exclusiveMin', taken(rest, 'minimum')));
  }
  if (rest.exclusiveMaximum && rest.maximum !== undefined) {
    delete rest.exclusiveMaximum;
    calls.push(call('exclusiveMax', taken(rest, 'maximum')));
  }
  return calls;
}

function ruleCallsOf(node: SchemaNode, kind: Kind, rest: Rest): readonly Call[] {
  const rules = rest['x-kubernetes-validations'];
  const fields = kind === 'object' ? Object.keys(node.properties ?? {}) : [];
  const calls = rules && ruleCalls(rules, fields);
  if (calls) delete rest['x-kubernetes-validations'];
  return calls ?? [];
}

/** Whether the value may be null or be left out, and what it is then. */
function presenceCalls(node: SchemaNode, rest: Rest, presence: Presence): Call[] {
  const calls: Call[] = [];
  if (rest.nullable) {
    delete rest.nullable;
    calls.push(call('nullable'));
  }
  // of a field with a default the builder holds that it is not required: one that is says so with the bare keyword
  if (rest.default !== undefined && presence !== 'required') {
    const value = literal(taken(rest, 'default'));
    const arg: Code = fitsType(node, node.default) ? value : { is: 'cast', value };
    calls.push({ name: 'default', args: [arg] });
  } else if (presence === 'optional') calls.push(call('optional'));
  return calls;
}

function call(name: string, ...values: readonly (Json | undefined)[]): Call {
  return { name, args: values.map(literal) };
}
