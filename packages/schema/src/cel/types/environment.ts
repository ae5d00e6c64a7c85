import type { MacroSet } from '../syntax/macros.ts';
import { TypeValue } from '../values/value.ts';
import type { Overload } from './overload.ts';
import { type CelType, listOf, mapOf, optionalOf, typeOf, types } from './type.ts';

/** Functions and macros that are added to the language together. */
export interface Library {
  readonly overloads: readonly Overload[];
  readonly macros?: MacroSet;
  /** Names of types that texts may mention as values. */
  readonly types?: readonly CelType[];
}

/** Finds the type of a field of an object type: undefined for unknown fields. */
export type FieldTypes = (typeName: string, field: string) => CelType | undefined;

/** Finds the object type of a name that texts may construct: undefined for unknown names. */
export type ObjectTypes = (name: string) => CelType | undefined;

/** What names mean in an expression. */
export interface Environment {
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  readonly macros: MacroSet;
  readonly variables: ReadonlyMap<string, CelType>;
  /** Types that can be named, with the type of that name as an expression. */
  readonly typeNames: ReadonlyMap<string, CelType>;
  readonly fieldType: FieldTypes;
  /** Object types beyond `typeNames`, when there is no list of them. */
  readonly objectType: ObjectTypes;
  /** The namespace in which names are looked up: `a.b`, or empty. */
  readonly container: string;
  /** Whether the parts of list and map literals must have one type, as Kubernetes demands. */
  readonly homogeneous: boolean;
}

export interface EnvironmentOptions {
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly fieldType?: FieldTypes;
  readonly objectType?: ObjectTypes;
  readonly container?: string;
  readonly homogeneous?: boolean;
}

const typeParamA: CelType = { kind: 'param', name: 'A', params: [] };
const typeParamB: CelType = { kind: 'param', name: 'B', params: [] };

const standardTypes: readonly CelType[] = [
  types.bool,
  types.bytes,
  types.double,
  types.duration,
  types.int,
  types.null,
  types.string,
  types.timestamp,
  types.uint,
  listOf(typeParamA),
  mapOf(typeParamA, typeParamB),
  types.type,
  optionalOf(typeParamA),
];

/** Everything the libraries bring, with a caller's variables. */
export function createEnvironment(libraries: readonly Library[], options: EnvironmentOptions = {}): Environment {
  const functions = new Map<string, Overload[]>();
  const macros = new Map<string, MacroSet extends ReadonlyMap<string, infer M> ? M : never>();
  const typeNames = new Map<string, CelType>();
  for (const type of [...standardTypes, ...libraries.flatMap((library) => library.types ?? [])]) {
    typeNames.set(type.name, typeOf(type));
  }
  for (const library of libraries) {
    for (const [key, macro] of library.macros ?? []) macros.set(key, macro);
    for (const entry of library.overloads) {
      const known = functions.get(entry.name);
      if (known) known.push(entry);
      else functions.set(entry.name, [entry]);
    }
  }
  return extendEnvironment(
    {
      functions,
      macros,
      typeNames,
      variables: new Map(),
      fieldType: () => undefined,
      objectType: () => undefined,
      container: '',
      homogeneous: false,
    },
    options,
  );
}

/** The same with the functions of one more library. */
export function addLibrary(base: Environment, { overloads }: Library): Environment {
  const functions = new Map(base.functions);
  for (const entry of overloads) functions.set(entry.name, [...(functions.get(entry.name) ?? []), entry]);
  return { ...base, functions };
}

/** The same functions with other variables. */
export function extendEnvironment(base: Environment, options: EnvironmentOptions): Environment {
  const { variables, ...rest } = options;
  return { ...base, ...rest, variables: new Map([...base.variables, ...Object.entries(variables ?? {})]) };
}

/** The names that `name` may stand for in a namespace, the innermost first. A leading dot means the outermost only. */
export function candidateNames(container: string, name: string): string[] {
  if (name.startsWith('.')) return [name.slice(1)];
  const names: string[] = [];
  for (let prefix = container; prefix !== ''; prefix = prefix.slice(0, Math.max(prefix.lastIndexOf('.'), 0))) {
    names.push(`${prefix}.${name}`);
  }
  return [...names, name];
}

/** The value of an identifier that names a type. */
export function typeValue(type: CelType): TypeValue {
  return new TypeValue(type.params[0]?.name ?? type.name);
}
