import { fieldError } from '../field-error.ts';
import { isObject } from '../json.ts';
import type { FieldError, SchemaNode } from '../node.ts';

/** A part of a definition as it came in: nothing is known of its types. */
type Draft = Readonly<Record<string, unknown>>;

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
/** More selectable fields than this a version may not have. */
const maxSelectable = 8;

const notAPath = 'must be a simple json path starting with .';

const textAt = (draft: Draft, key: string): string => (typeof draft[key] === 'string' ? draft[key] : '');
const objectsAt = (draft: Draft, key: string): readonly Draft[] => {
  const list = draft[key];
  return Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? item : {})) : [];
};

function pathErrors(path: string, field: string, roots: readonly string[], where: string): readonly FieldError[] {
  if (!path.startsWith('.')) return [fieldError.invalid(field, path, notAPath)];
  return roots.some((root) => path.startsWith(root)) ? [] : [fieldError.invalid(field, path, where)];
}

/**
 * What the API server refuses in the `subresources` of a version: `scale` names paths under spec and status.
 * @param field where they stand: `spec.versions[0].subresources`
 */
export function validateSubresources(subresources: unknown, field: string): readonly FieldError[] {
  const scale = isObject(subresources) ? subresources['scale'] : undefined;
  if (!isObject(scale)) return [];
  const check = (key: string, roots: readonly string[], where: string, needed: boolean): readonly FieldError[] => {
    const path = textAt(scale, key);
    if (path === '') return needed ? [fieldError.required(`${field}.scale.${key}`)] : [];
    return pathErrors(path, `${field}.scale.${key}`, roots, where);
  };
  return [
    ...check('specReplicasPath', ['.spec.'], 'should be a json path under .spec', true),
    ...check('statusReplicasPath', ['.status.'], 'should be a json path under .status', true),
    ...check('labelSelectorPath', ['.spec.', '.status.'], 'should be a json path under either .spec or .status', false),
  ];
}

function columnErrors(column: Draft, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (textAt(column, 'name') === '') errors.push(fieldError.required(`${field}.name`));
  const type = textAt(column, 'type');
  const types = `must be one of ${columnTypes.join(',')}`;
  if (type === '') errors.push(fieldError.required(`${field}.type`, types));
  else if (!columnTypes.includes(type)) errors.push(fieldError.invalid(`${field}.type`, type, types));
  const format = textAt(column, 'format');
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(fieldError.invalid(`${field}.format`, format, `must be one of ${columnFormats.join(',')}`));
  }
  const path = textAt(column, 'jsonPath');
  if (path === '') errors.push(fieldError.required(`${field}.JSONPath`));
  else if (!path.startsWith('.')) errors.push(fieldError.invalid(`${field}.JSONPath`, path, notAPath));
  return errors;
}

/**
 * What the API server refuses in the printer columns of a version. It does not follow their paths: one that leads nowhere leaves its
 * cells empty.
 * @param field where they stand: `spec.versions[0].additionalPrinterColumns`
 */
export function validateColumns(version: Draft, field: string): readonly FieldError[] {
  return objectsAt(version, 'additionalPrinterColumns').flatMap((column, i) => columnErrors(column, `${field}[${i}]`));
}

/** The node a path of fields leads to, or why it leads to none. */
function nodeAt(root: SchemaNode | undefined, path: string): SchemaNode | string {
  let node = root;
  for (const [, dot, rest = ''] of path.matchAll(/([.[\]]?)([^.[\]]*)/g)) {
    if (dot === '' && rest === '') break;
    if (dot === '[') return 'array notation is not allowed';
    if (dot !== '.') return `expected [ or . but got: ${dot === ']' ? dot : rest}`;
    if (rest === '') return 'unexpected end of JSON path';
    const { properties, additionalProperties } = node ?? {};
    node = properties ? properties[rest] : typeof additionalProperties === 'object' ? additionalProperties : undefined;
    if (!node) return 'does not refer to a valid field';
  }
  return node ?? {};
}

const selectableTypes = ['string', 'boolean', 'integer'];
const wrongType =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

/**
 * What the API server refuses in the selectable fields of a version: they are scalars outside metadata, at most eight.
 * @param field where they stand: `spec.versions[0].selectableFields`
 */
export function validateSelectableFields(version: Draft, field: string): readonly FieldError[] {
  const schema = isObject(version['schema']) ? (version['schema']['openAPIV3Schema'] as SchemaNode) : undefined;
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  objectsAt(version, 'selectableFields').forEach((entry, i) => {
    const path = textAt(entry, 'jsonPath');
    const own = `${field}[${i}].jsonPath`;
    const node = path === '' ? undefined : nodeAt(schema, path);
    if (node === undefined) errors.push(fieldError.required(own));
    else if (typeof node === 'string') errors.push(fieldError.invalid(own, path, `is an invalid path: ${node}`));
    else {
      if (path.startsWith('.metadata')) {
        errors.push(fieldError.invalid(own, path, 'must not point to fields in metadata'));
      }
      if (!selectableTypes.includes(node.type ?? '')) errors.push(fieldError.invalid(own, path, wrongType));
      if (seen.has(path)) errors.push(fieldError.duplicate(own, path));
      seen.add(path);
    }
  });
  if (seen.size > maxSelectable) errors.push(fieldError.tooMany(field, seen.size, maxSelectable));
  return errors;
}
