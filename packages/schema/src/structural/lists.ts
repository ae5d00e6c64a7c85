import { fieldError } from '../field-error.ts';
import type { FieldError, SchemaNode } from '../node.ts';

const listTypes = ['atomic', 'set', 'map'];

/** `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`. */
export function listErrors(node: SchemaNode, path: string): readonly FieldError[] {
  const type = node['x-kubernetes-list-type'];
  const keys = node['x-kubernetes-list-map-keys'] ?? [];
  const errors: FieldError[] = [];
  if (type !== undefined && node.type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    const at = `${path}.type`;
    errors.push(node.type ? fieldError.invalid(at, node.type, detail) : fieldError.required(at, detail));
  } else if (type === 'set' && node.items) {
    errors.push(...setItemErrors(node.items, `${path}.items`));
  }
  if (type !== undefined && !listTypes.includes(type)) {
    errors.push(fieldError.notSupported(`${path}.x-kubernetes-list-type`, type, listTypes));
  }
  if (keys.length > 0 && type !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${path}.x-kubernetes-list-type`;
    errors.push(type === undefined ? fieldError.required(at, detail) : fieldError.invalid(at, type, detail));
  }
  if (type === 'map') errors.push(...mapErrors(node, keys, path));
  if ((type === 'map' || type === 'set') && node.items?.nullable) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${type}`;
    errors.push(fieldError.forbidden(`${path}.items.nullable`, detail));
  }
  if (type === 'map' && node.items) errors.push(...keyErrors(node.items, keys, `${path}.items`));
  return errors;
}

function setItemErrors(item: SchemaNode, path: string): readonly FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = item['x-kubernetes-list-type'];
  if (item.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [fieldError.invalid(`${path}.x-kubernetes-list-type`, listType, detail)];
  }
  if (item.type === 'object' && item['x-kubernetes-map-type'] !== 'atomic') {
    return [fieldError.invalid(`${path}.x-kubernetes-map-type`, listType ?? null, detail)];
  }
  return [];
}

function mapErrors({ items }: SchemaNode, keys: readonly string[], path: string): readonly FieldError[] {
  const at = `${path}.x-kubernetes-list-map-keys`;
  const errors: FieldError[] = [];
  if (keys.length === 0) errors.push(fieldError.required(at, 'must not be empty if x-kubernetes-list-type is map'));
  if (!items) {
    const detail = 'must have a schema if x-kubernetes-list-type is map';
    return [...errors, fieldError.required(`${path}.items`, detail)];
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, fieldError.invalid(`${path}.items.type`, items.type ?? '', detail)];
  }
  for (const [index, key] of keys.entries()) {
    const property = items.properties?.[key];
    if (!property) {
      errors.push(fieldError.invalid(at, keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(fieldError.invalid(`${path}.items.properties[${key}].type`, items.type, detail));
    }
    if (keys.indexOf(key) < index) errors.push(fieldError.invalid(at, keys, 'must not contain duplicate entries'));
  }
  return errors;
}

/** Keys must always be there. */
function keyErrors(item: SchemaNode, keys: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of keys) {
    const property = item.properties?.[key];
    if (!property) continue;
    const at = `${path}.properties[${key}]`;
    if (!item.required?.includes(key) && property.default === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(fieldError.required(`${at}.default`, detail));
    }
    if (property.nullable) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(fieldError.forbidden(`${at}.nullable`, detail));
    }
  }
  return errors;
}
