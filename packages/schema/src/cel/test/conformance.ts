import { compileExpression, type Outcome } from '../expression.ts';
import { bindLibrary, twoVariableLibrary } from '../library/comprehensions.ts';
import { encodersLibrary } from '../library/encoders.ts';
import { listsLibrary } from '../library/lists.ts';
import { mathLibrary } from '../library/math.ts';
import { optionalLibrary } from '../library/optionals.ts';
import { standardLibrary } from '../library/standard.ts';
import { stringsLibrary } from '../library/strings.ts';
import { createEnvironment, type Environment, extendEnvironment } from '../types/environment.ts';
import {
  type CelType,
  formatType,
  listOf,
  mapOf,
  optionalOf,
  structType,
  typeOf,
  typeParam,
  types,
} from '../types/type.ts';
import { equal } from '../values/compare.ts';
import { formatValue } from '../values/describe.ts';
import { ArrayList } from '../values/list.ts';
import { EntryMap, type MapKey, mapKey } from '../values/map.ts';
import { CelDouble, CelUint, intOf, TypeValue, type Value } from '../values/value.ts';

type Json = { readonly [key: string]: unknown };

/** One test of the conformance data, as JSON of its message. */
export interface ConformanceTest {
  readonly section: string;
  readonly original: Json;
}

const base = createEnvironment([
  standardLibrary,
  stringsLibrary({ style: 'plain', reverse: true }),
  mathLibrary,
  encodersLibrary,
  optionalLibrary,
  twoVariableLibrary,
  bindLibrary,
  listsLibrary,
]);

/** Sections about protobuf messages, which resources are not, and about an internal form of optimizers. */
export const skippedSections: Readonly<Record<string, string>> = {
  proto2: 'protobuf messages',
  proto2_ext: 'protobuf extensions',
  proto3: 'protobuf messages',
  enums: 'protobuf enums',
  wrappers: 'protobuf wrapper messages',
  block_ext: 'cel.@block, a form that optimizers write, not people',
};

const messages = /TestAllTypes|google\.protobuf\.|cel\.expr\.|GlobalEnum|NestedTestAllTypes/;

/** Why a test does not apply; undefined when it does. */
export function skipReason({ section, original }: ConformanceTest): string | undefined {
  const whole = skippedSections[section];
  if (whole !== undefined) return whole;
  if (((original.typeEnv ?? []) as Json[]).some((entry) => entry.function)) return 'declares functions of its own';
  const text = JSON.stringify([original.expr, original.typeEnv, original.bindings, original.value, original.container]);
  return messages.test(text) || original.container === 'google.protobuf' ? 'uses a protobuf message' : undefined;
}

function readType(json: Json): CelType {
  const primitives: Json = {
    BOOL: types.bool,
    INT64: types.int,
    UINT64: types.uint,
    DOUBLE: types.double,
    STRING: types.string,
    BYTES: types.bytes,
  };
  if (typeof json.primitive === 'string') return primitives[json.primitive] as CelType;
  if (json.wellKnown === 'DURATION') return types.duration;
  if (json.wellKnown === 'TIMESTAMP') return types.timestamp;
  if (json.null !== undefined) return types.null;
  if (json.listType) return listOf(readType(((json.listType as Json).elemType ?? {}) as Json));
  if (json.mapType) {
    const { keyType = {}, valueType = {} } = json.mapType as Json;
    return mapOf(readType(keyType as Json), readType(valueType as Json));
  }
  if (json.abstractType) {
    const [param = {}] = ((json.abstractType as Json).parameterTypes ?? []) as Json[];
    return optionalOf(readType(param));
  }
  if (json.type) return typeOf(readType(json.type as Json));
  if (typeof json.typeParam === 'string') return typeParam(json.typeParam);
  return typeof json.messageType === 'string' ? structType(json.messageType) : types.dyn;
}

const specialDoubles: Json = {
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  NaN: Number.NaN,
};

export function readValue(json: Json): Value {
  if (json.int64Value !== undefined) return intOf(BigInt(json.int64Value as string));
  if (json.uint64Value !== undefined) return new CelUint(BigInt(json.uint64Value as string));
  if (json.doubleValue !== undefined) {
    const value = json.doubleValue;
    return new CelDouble(typeof value === 'string' ? (specialDoubles[value] as number) : (value as number));
  }
  if (json.stringValue !== undefined) return json.stringValue as string;
  if (json.boolValue !== undefined) return json.boolValue as boolean;
  if (json.bytesValue !== undefined) return Uint8Array.from(Buffer.from(json.bytesValue as string, 'base64'));
  if (json.typeValue !== undefined) return new TypeValue(json.typeValue as string);
  if (json.listValue !== undefined)
    return new ArrayList((((json.listValue as Json).values ?? []) as Json[]).map(readValue));
  if (json.mapValue === undefined) return null;
  const entries = new Map<MapKey, readonly [Value, Value]>();
  for (const { key, value } of ((json.mapValue as Json).entries ?? []) as { key: Json; value: Json }[]) {
    const name = readValue(key);
    entries.set(mapKey(name) ?? '', [name, readValue(value)]);
  }
  return new EntryMap(entries);
}

function environmentOf(original: Json): Environment {
  const variables: Record<string, CelType> = {};
  for (const { name, ident } of (original.typeEnv ?? []) as { name: string; ident?: Json }[]) {
    if (ident) variables[name] = readType((ident.type ?? {}) as Json);
  }
  for (const name of Object.keys((original.bindings ?? {}) as Json)) variables[name] ??= types.dyn;
  return extendEnvironment(base, { variables, container: (original.container as string | undefined) ?? '' });
}

function bindingsOf(original: Json): Record<string, Value> {
  const entries = Object.entries((original.bindings ?? {}) as Record<string, Json>);
  return Object.fromEntries(entries.map(([name, binding]) => [name, readValue((binding.value ?? {}) as Json)]));
}

/** Runs one test. @returns what is wrong; undefined when it passes */
export function runTest(original: Json): string | undefined {
  const environment = environmentOf(original);
  const compiled = compileExpression(original.expr as string, environment, { checked: original.disableCheck !== true });
  if ('error' in compiled) return original.evalError ? undefined : `does not compile: ${compiled.error.message}`;
  const { expression } = compiled;
  const wanted = ((original.typedResult as Json | undefined)?.deducedType ?? undefined) as Json | undefined;
  if (wanted) {
    const [type, expected] = [formatType(expression.type), formatType(readType(wanted))];
    if (type !== expected) return `is of type ${type}, not ${expected}`;
  }
  if (original.checkOnly) return undefined;
  return judge(original, expression.evaluate(bindingsOf(original)));
}

function judge(original: Json, outcome: Outcome): string | undefined {
  if ('error' in outcome) return original.evalError ? undefined : `fails: ${outcome.error}`;
  if (original.evalError) return `is ${formatValue(outcome.value)}, not an error`;
  const result = (original.value ?? (original.typedResult as Json | undefined)?.result) as Json | undefined;
  const expected = result ? readValue(result) : true;
  if (sameValue(outcome.value, expected)) return undefined;
  return `is ${formatValue(outcome.value)}, not ${formatValue(expected)}`;
}

/** Equal and of one type; not-a-number equals itself here. */
function sameValue(a: Value, b: Value): boolean {
  if (a instanceof CelDouble && b instanceof CelDouble) return Object.is(a.value, b.value) || a.value === b.value;
  return typeof a === typeof b && a?.constructor === b?.constructor ? equal(a, b) : isContainer(a) && equal(a, b);
}

function isContainer(value: Value): boolean {
  return value instanceof ArrayList || (typeof value === 'object' && value !== null && 'size' in value);
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: unknown }[];
}

/** All tests of the data, with the name of their section. */
export function* allTests(suite: Suite, section?: string): Iterable<ConformanceTest> {
  for (const { original } of suite.tests ?? []) yield { section: section ?? suite.name, original: original as Json };
  for (const inner of suite.suites ?? []) yield* allTests(inner, section ?? inner.name);
}
