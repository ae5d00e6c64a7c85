import type { FieldError, SchemaNode } from '@coxswain/schema';
import { objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import { duplicate, invalidValue, required } from '../builtin/shared/errors.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
/** More selectable fields than this a version may not have. */
const maxSelectable = 8;

const notAPath = 'must be a simple json path starting with .';

function validatePath(path: string, field: string, roots: readonly string[], where: string): readonly FieldError[] {
  if (!path.startsWith('.')) return [invalidValue(field, path, notAPath)];
  return roots.some((root) => path.startsWith(root)) ? [] : [invalidValue(field, path, where)];
}

/** `scale` names paths under spec and status. */
export function validateSubresources(subresources: ReadJson | undefined, field: string): readonly FieldError[] {
  const scale = objectAt(subresources, 'scale');
  if (!scale) return [];
  const check = (key: string, roots: readonly string[], where: string, needed: boolean): readonly FieldError[] => {
    const path = textAt(scale, key);
    if (path === '') return needed ? [required(`${field}.scale.${key}`)] : [];
    return validatePath(path, `${field}.scale.${key}`, roots, where);
  };
  return [
    ...check('specReplicasPath', ['.spec.'], 'should be a json path under .spec', true),
    ...check('statusReplicasPath', ['.status.'], 'should be a json path under .status', true),
    ...check('labelSelectorPath', ['.spec.', '.status.'], 'should be a json path under either .spec or .status', false),
  ];
}

function validateColumn(column: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (textAt(column, 'name') === '') errors.push(required(`${field}.name`));
  const type = textAt(column, 'type');
  const types = `must be one of ${columnTypes.join(',')}`;
  if (type === '') errors.push(required(`${field}.type`, types));
  else if (!columnTypes.includes(type)) errors.push(invalidValue(`${field}.type`, type, types));
  const format = textAt(column, 'format');
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalidValue(`${field}.format`, format, `must be one of ${columnFormats.join(',')}`));
  }
  const path = textAt(column, 'jsonPath');
  if (path === '') errors.push(required(`${field}.JSONPath`));
  else if (!path.startsWith('.')) errors.push(invalidValue(`${field}.JSONPath`, path, notAPath));
  return errors;
}

/** The printer columns of a version. Their paths are not read here: a path that leads nowhere leaves its cells empty. */
export function validateColumns(version: ReadJson, field: string): readonly FieldError[] {
  return objectsAt(version, 'additionalPrinterColumns').flatMap((column, i) =>
    validateColumn(column, `${field}[${i}]`),
  );
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

/** Selectable fields are scalars outside metadata, at most eight. */
export function validateSelectable(version: ReadJson, field: string): readonly FieldError[] {
  const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') as SchemaNode | undefined;
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  objectsAt(version, 'selectableFields').forEach((entry, i) => {
    const path = textAt(entry, 'jsonPath');
    const own = `${field}[${i}].jsonPath`;
    const node = path === '' ? undefined : nodeAt(schema, path);
    if (node === undefined) errors.push(required(own));
    else if (typeof node === 'string') errors.push(invalidValue(own, path, `is an invalid path: ${node}`));
    else {
      if (path.startsWith('.metadata')) errors.push(invalidValue(own, path, 'must not point to fields in metadata'));
      if (!selectableTypes.includes(node.type ?? '')) errors.push(invalidValue(own, path, wrongType));
      if (seen.has(path)) errors.push(duplicate(own, path));
      seen.add(path);
    }
  });
  if (seen.size > maxSelectable) {
    const message = `Too many: ${seen.size}: must have at most ${maxSelectable} items`;
    errors.push({ field, reason: 'FieldValueTooMany', message });
  }
  return errors;
}

/** What a version says to those who use it, when it is deprecated. */
export function validateDeprecation(version: ReadJson, field: string): readonly FieldError[] {
  const { deprecationWarning: text } = version;
  if (typeof text !== 'string') return [];
  const own = `${field}.deprecationWarning`;
  if (version.deprecated !== true) return [invalidValue(own, text, 'can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(text) > 256) errors.push(invalidValue(own, text, 'must be <= 256 characters long'));
  if (text === '') errors.push(invalidValue(own, text, 'must not be an empty string'));
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text);
  if (odd) {
    const at = Buffer.byteLength(text.slice(0, odd.index));
    const why = `must only contain printable UTF-8 characters; non-printable character found at index ${at}`;
    errors.push(invalidValue(own, text, why));
  }
  return errors;
}
