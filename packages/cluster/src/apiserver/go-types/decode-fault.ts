import { canonicalQuantity } from '@coxswain/runtime/core';
import { JsonNumber } from '../request/json-number.ts';
import { type GoType, goTypeOf } from './table.ts';
import { timeFault } from './time-fault.ts';

/** Where a value stands, as Go's decoder tells it. */
interface Place {
  /** The struct that has the field; empty at the root. */
  readonly struct: string;
  readonly fields: readonly string[];
}

/** A fault that ends the decoding; the others only count when there is none of these. */
class Fatal extends Error {}

export const quantityFault =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/**
 * Why Go's decoder would not read a JSON value into a type: `json: cannot unmarshal string into Go struct field
 * DeploymentSpec.spec.replicas of type int32`. `undefined` when it would.
 * @param type a definition's name, or another expression of the table
 */
export function decodeFault(type: string, value: unknown): string | undefined {
  return faultOfType(goTypeOf(type), value);
}

/** The same of a type that is at hand. */
export function faultOfType(type: GoType, value: unknown): string | undefined {
  const found: string[] = [];
  try {
    visit(type, value, { struct: '', fields: [] }, found);
  } catch (error) {
    if (error instanceof Fatal) return error.message;
    throw error;
  }
  return found[0];
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value instanceof JsonNumber || typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function mismatch(actual: string, { struct, fields }: Place, wanted: string): string {
  const target = fields.length === 0 ? 'Go value' : `Go struct field ${struct}.${fields.join('.')}`;
  return `json: cannot unmarshal ${actual} into ${target} of type ${wanted}`;
}

function visit(type: GoType, value: unknown, place: Place, found: string[]): void {
  if (value === null || value === undefined) return;
  const kind = kindOf(value);
  if (type.kind === 'special') visitSpecial(type.name, value, place);
  else if (type.kind === 'scalar') visitScalar(type, value, place, found);
  else if (type.kind === 'bytes' && typeof value === 'string') checkBase64(value, found);
  else if (kind !== (type.kind === 'list' || type.kind === 'bytes' ? 'array' : 'object')) {
    found.push(mismatch(kind, place, type.name));
  } else if (type.kind === 'list')
    for (const item of value as readonly unknown[]) visit(type.items, item, place, found);
  else if (type.kind === 'map') for (const item of Object.values(value)) visit(type.values, item, place, found);
  else if (type.kind === 'struct') visitFields(type, value as Readonly<Record<string, unknown>>, place, found);
}

function visitFields(
  { definition, fields: known }: Extract<GoType, { kind: 'struct' }>,
  value: Readonly<Record<string, unknown>>,
  place: Place,
  found: string[],
): void {
  const struct = definition.slice(definition.lastIndexOf('.') + 1);
  for (const [name, item] of Object.entries(value)) {
    const field = known.get(name);
    if (field) visit(field.type, item, { struct, fields: [...place.fields, ...field.through, name] }, found);
  }
}

function visitScalar(
  { scalar, name }: Extract<GoType, { kind: 'scalar' }>,
  value: unknown,
  place: Place,
  found: string[],
): void {
  const kind = kindOf(value);
  const wanted = scalar === 'string' ? 'string' : scalar === 'bool' ? 'bool' : 'number';
  if (scalar === 'any' || scalar === 'interface{}') return;
  if (kind !== wanted) found.push(mismatch(kind, place, name));
  else if (kind === 'number' && !holds(scalar, value)) found.push(mismatch(`number ${value}`, place, name));
}

/** Whether a number type holds a number, written as it is: a whole number has neither fraction nor exponent. */
function holds(scalar: string, value: unknown): boolean {
  if (scalar === 'float64') return Number.isFinite(Number(value));
  const text = String(value);
  if (!/^-?\d+$/.test(text)) return false;
  const bits = scalar === 'int32' ? 32 : 64;
  return BigInt.asIntN(bits, BigInt(text)) === BigInt(text);
}

function visitSpecial(name: string, value: unknown, place: Place): void {
  const kind = kindOf(value);
  switch (name) {
    case 'resource.Quantity':
      if (kind !== 'string' && kind !== 'number') throw new Fatal(quantityFault);
      checkQuantity(String(value));
      return;
    case 'intstr.IntOrString':
      if (kind === 'string') return;
      if (kind !== 'number') throw new Fatal(mismatch(kind, place, 'int32'));
      if (!holds('int32', value)) throw new Fatal(mismatch(`number ${value}`, place, 'int32'));
      return;
    case 'v1.Time':
    case 'v1.MicroTime':
    case 'v1.Duration': {
      if (typeof value !== 'string') throw new Fatal(mismatch(kind, place, 'string'));
      const fault = name === 'v1.Duration' ? undefined : timeFault(value, name === 'v1.MicroTime');
      if (fault) throw new Fatal(fault);
    }
  }
}

function checkQuantity(text: string): void {
  try {
    canonicalQuantity(text);
  } catch {
    throw new Fatal(quantityFault);
  }
}

/** Go ignores line breaks in base64, and tells the byte it stumbles over. */
function checkBase64(text: string, found: string[]): void {
  const fault = base64Fault(text);
  if (fault !== undefined) found.push(`illegal base64 data at input byte ${fault}`);
}

/** The place in a base64 text that Go's decoder cannot go on from. */
function base64Fault(text: string): number | undefined {
  // The common case first.
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text);
  let at = 0;
  /** The next byte that is no line break. */
  const next = (): number | undefined => {
    while (bytes[at] === 10 || bytes[at] === 13) at++;
    return bytes[at++];
  };
  for (;;) {
    for (let filled = 0; filled < 4; filled++) {
      const byte = next();
      if (byte === undefined) return filled === 0 ? undefined : at - 1 - filled;
      if (byte === 0x3d) return padding(filled, next, () => at, bytes.length);
      if (!/[A-Za-z0-9+/]/.test(String.fromCharCode(byte))) return at - 1;
    }
  }
}

function padding(filled: number, next: () => number | undefined, at: () => number, length: number): number | undefined {
  if (filled < 2) return at() - 1;
  if (filled === 2) {
    const second = next();
    if (second === undefined) return length;
    if (second !== 0x3d) return at() - 1;
  }
  return next() === undefined ? undefined : at() - 1;
}
