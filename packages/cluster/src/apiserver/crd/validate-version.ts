import type { FieldError, SchemaNode } from '@coxswain/schema';
import { objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import { duplicate, invalidValue, required } from '../builtin/shared/errors.ts';

/** A path to one value: fields only. */
const simplePath = /^(\.[A-Za-z_$](?:[\w$-]|\\.)*)+$/;
const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
/** More selectable fields than this a version may not have. */
const maxSelectable = 8;

function validatePath(path: string, field: string, roots: readonly string[], where: string): readonly FieldError[] {
  if (!simplePath.test(path))
    return [invalidValue(field, path, 'is an invalid JSONPath: must be a simple path such as .spec.field')];
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
  if (textAt(column, 'jsonPath') === '') errors.push(required(`${field}.JSONPath`));
  return errors;
}

/** The printer columns of a version. Their paths are not read here: a path that leads nowhere leaves its cells empty. */
export function validateColumns(version: ReadJson, field: string): readonly FieldError[] {
  return objectsAt(version, 'additionalPrinterColumns').flatMap((column, i) =>
    validateColumn(column, `${field}[${i}]`),
  );
}

function nodeAt(schema: SchemaNode | undefined, path: string): SchemaNode | undefined {
  let node = schema;
  for (const name of path.split('.').slice(1)) node = node?.properties?.[name];
  return node;
}

/** Selectable fields are scalars outside metadata, at most eight. */
export function validateSelectable(version: ReadJson, field: string): readonly FieldError[] {
  const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') as SchemaNode | undefined;
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  objectsAt(version, 'selectableFields').forEach((entry, i) => {
    const path = textAt(entry, 'jsonPath');
    const own = `${field}[${i}].jsonPath`;
    if (path === '') {
      errors.push(required(own));
      return;
    }
    const node = nodeAt(schema, path);
    if (path.startsWith('.metadata')) errors.push(invalidValue(own, path, 'must not point to fields in metadata'));
    else if (!simplePath.test(path) || !node) {
      errors.push(invalidValue(own, path, `is an invalid path: does not refer to a valid field`));
    } else if (!['string', 'boolean', 'integer'].includes(node.type ?? '')) {
      const text =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalidValue(own, path, text));
    }
    if (seen.has(path)) errors.push(duplicate(own, path));
    seen.add(path);
  });
  if (seen.size > maxSelectable) {
    const message = `Too many: ${seen.size}: must have at most ${maxSelectable} items`;
    errors.push({ field, reason: 'FieldValueTooMany', message });
  }
  return errors;
}
