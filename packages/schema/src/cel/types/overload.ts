import type { Value } from '../values/value.ts';
import { parseSignature, type Signature } from './signature.ts';
import type { CelType } from './type.ts';

/** The work of a function. Arguments that the overload does not take are null. */
export type Invoke = (a: Value, b: Value, c: Value, d: Value) => Value;

/** One way to call a function. */
export interface Overload extends Signature {
  readonly id: string;
  readonly invoke: Invoke;
  /** Names of the type variables in the signature. */
  readonly variables: readonly string[];
}

/** @param signature as {@link parseSignature} reads it */
export function overload(id: string, signature: string, invoke: Invoke): Overload {
  const parsed = parseSignature(signature);
  const variables = new Set<string>();
  for (const type of [...parsed.args, parsed.result]) collectVariables(type, variables);
  return { ...parsed, id, invoke, variables: [...variables] };
}

function collectVariables(type: CelType, into: Set<string>): void {
  if (type.kind === 'param') into.add(type.name);
  for (const param of type.params) collectVariables(param, into);
}
