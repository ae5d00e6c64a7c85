import type { Construct } from '../eval/compiler.ts';
import type { EnvironmentOptions } from '../types/environment.ts';
import { structType, types } from '../types/type.ts';
import { typeNameOf } from '../values/describe.ts';
import { CelError } from '../values/errors.ts';
import { CelList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { CelDouble, CelUint, Opaque, Optional, type Value } from '../values/value.ts';

const objectName = 'Object';
const patchName = 'JSONPatch';
const patchFields = new Set(['op', 'path', 'from']);

/** The types that the results of mutating expressions have. */
export const applyConfigurationType = structType(objectName);
/** Type of one operation of a JSON patch: `JSONPatch{…}`. */
export const jsonPatchType = structType(patchName);

const isObjectName = (name: string): boolean => name === objectName || name.startsWith(`${objectName}.`);

/** Object types of mutating expressions: `Object`, `Object.spec` … with any fields, and `JSONPatch`. */
export const mutationTypes: Required<Pick<EnvironmentOptions, 'objectType' | 'fieldType'>> = {
  objectType: (name) => (isObjectName(name) || name === patchName ? structType(name) : undefined),
  fieldType(name, field) {
    if (isObjectName(name)) return types.dyn;
    if (name !== patchName) return undefined;
    if (patchFields.has(field)) return types.string;
    return field === 'value' ? types.dyn : undefined;
  },
};

/** An object that an expression has put together. Expressions cannot look into it. */
class Made extends Opaque {
  readonly typeName: string;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.typeName = typeName;
    this.fields = fields;
  }

  equals(other: Opaque): boolean {
    return other === this;
  }
}

/** Makes the objects of {@link mutationTypes}. */
export const constructMutation: Construct = (typeName, fields) => new Made(typeName, fields);

/** Names of types say where in the object their values belong; a value elsewhere is a mistake. */
function misplaced(value: Value, path: string, into: string[]): void {
  if (value instanceof Made) {
    if (value.typeName !== path) {
      const wanted = `expected ${JSON.stringify(path)}, which matches field name path from root Object type`;
      into.push(`unexpected type name ${JSON.stringify(value.typeName)}, ${wanted}`);
    }
    for (const [field, part] of value.fields) misplaced(part, `${path}.${field}`, into);
  } else if (value instanceof CelList) {
    for (const item of value) misplaced(item, path, into);
  } else if (value instanceof CelMap) {
    for (const key of value.keys()) misplaced(value.find(key) ?? null, path, into);
  }
}

/** @param root the name of the type that `value` has to have */
function checkPlaces(value: Made, root: string): void {
  const found: string[] = [];
  misplaced(value, root, found);
  if (found.length > 0) throw new CelError(`type mismatch: ${found.join('\n')}`);
}

/** A value as JSON. @throws CelError for values that JSON does not have */
export function jsonOf(value: Value): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return value;
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint) return value.value <= 9007199254740991n ? Number(value.value) : value.value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Optional) return value.value === undefined ? null : jsonOf(value.value);
  if (value instanceof CelList) return [...value].map(jsonOf);
  if (value instanceof Made) return Object.fromEntries([...value.fields].map(([field, part]) => [field, jsonOf(part)]));
  if (value instanceof CelMap)
    return Object.fromEntries([...value.keys()].map((key) => [keyText(key), jsonOf(value.find(key) ?? null)]));
  throw new CelError(`unsupported type for JSON: ${typeNameOf(value)}`);
}

function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  throw new CelError(`map key "${String(key)}" is of type ${typeNameOf(key)}, not string`);
}

/** The configuration that an expression of type {@link applyConfigurationType} has made. @throws CelError when its parts are at the wrong place */
export function applyConfigurationOf(value: Value): Record<string, unknown> {
  if (!(value instanceof Made))
    throw new CelError(`unsupported return type from ApplyConfiguration expression: ${typeNameOf(value)}`);
  checkPlaces(value, objectName);
  return jsonOf(value) as Record<string, unknown>;
}

/** The operations that an expression of a list of {@link jsonPatchType} has made. @throws CelError */
export function jsonPatchOf(value: Value): readonly Record<string, unknown>[] {
  if (!(value instanceof CelList)) {
    throw new CelError('type mismatch: JSONPatchType.expression should evaluate to array');
  }
  return [...value].map((item) => {
    if (!(item instanceof Made) || item.typeName !== patchName) {
      throw new CelError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
    }
    const given = item.fields.get('value');
    if (given instanceof Made) checkPlaces(given, given.typeName);
    const text = (field: string) => {
      const part = item.fields.get(field);
      return typeof part === 'string' ? part : '';
    };
    const from = text('from') === '' ? {} : { from: text('from') };
    return { op: text('op'), path: text('path'), ...from, ...(given === undefined ? {} : { value: jsonOf(given) }) };
  });
}
