import { bindMacros, twoVariableMacros } from '../syntax/macros.ts';
import type { Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { noSuchOverload } from '../values/errors.ts';

/** The loop itself inserts; the function is there for the types. */
const built = (): never => {
  throw noSuchOverload();
};

/** Macros with two variables: index or key, and value. */
export const twoVariableLibrary: Library = {
  macros: twoVariableMacros,
  overloads: [
    overload('@mapInsert_map_key_value', 'cel.@mapInsert(map(K, V), K, V) -> map(K, V)', built),
    overload('@mapInsert_map_map', 'cel.@mapInsert(map(K, V), map(K, V)) -> map(K, V)', built),
  ],
};

/** `cel.bind(name, value, expression)`; Kubernetes does not have it. */
export const bindLibrary: Library = { macros: bindMacros, overloads: [] };
