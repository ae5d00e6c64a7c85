import { own, sameJson } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { Change, ChangeRule } from './change.ts';

type Found = Omit<Change, 'version'>;

/** What of a schema can break those who use it, field by field. */
export function diffSchema(before: SchemaNode, after: SchemaNode, path = ''): readonly Found[] {
  const was = typeOf(before);
  const is = typeOf(after);
  if (was !== is) return [error('type-changed', path, `the type was ${was} and is ${is}`)];
  return [
    ...fieldChanges(before, after, path),
    ...enumChanges(before, after, path),
    ...limitChanges(before, after, path),
    ...textChanges(before, after, path),
    ...defaultChanges(before, after, path),
    ...treatmentChanges(before, after, path),
    ...conditionChanges(before, after, path),
  ];
}

function error(rule: ChangeRule, path: string, message: string): Found {
  return { rule, severity: 'error', path, message };
}

function warning(rule: ChangeRule, path: string, message: string): Found {
  return { rule, severity: 'warning', path, message };
}

function typeOf(node: SchemaNode): string {
  if (node['x-kubernetes-int-or-string']) return 'integer or string';
  return node.type ?? 'anything';
}

function fieldChanges(before: SchemaNode, after: SchemaNode, path: string): Found[] {
  const found: Found[] = [];
  const fields = after.properties ?? {};
  for (const [name, field] of Object.entries(before.properties ?? {})) {
    const at = path === '' ? name : `${path}.${name}`;
    const now = own(fields, name) ?? valueSchema(after);
    if (now) found.push(...diffSchema(field, now, at));
    else if (isOpen(after))
      found.push(warning('field-removed', at, 'the field is gone; what it held is kept unchecked'));
    else found.push(error('field-removed', at, 'the field is gone; what it held is pruned'));
  }
  const stranger = strangerSchema(before);
  for (const [name, field] of Object.entries(fields)) {
    if (!stranger || own(before.properties ?? {}, name)) continue;
    found.push(...diffSchema(stranger, field, path === '' ? name : `${path}.${name}`));
  }
  for (const name of after.required ?? []) {
    if (before.required?.includes(name) || own(fields, name)?.default !== undefined) continue;
    const at = path === '' ? name : `${path}.${name}`;
    found.push(error('field-required', at, 'it was not required, is now, and has no default'));
  }
  return [...found, ...elementChanges(before, after, `${path}[*]`), ...openChanges(before, after, path)];
}

/** The schema of values whose names the schema does not give. */
function valueSchema({ additionalProperties }: SchemaNode): SchemaNode | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function elementChanges(before: SchemaNode, after: SchemaNode, path: string): readonly Found[] {
  const was = before.items ?? strangerSchema(before);
  const is = after.items ?? valueSchema(after);
  return was && is ? diffSchema(was, is, path) : [];
}

/** What holds for a field that the schema does not name; undefined when it is pruned. */
function strangerSchema(node: SchemaNode): SchemaNode | undefined {
  return valueSchema(node) ?? (isOpen(node) ? {} : undefined);
}

function isOpen(node: SchemaNode): boolean {
  return Boolean(node.additionalProperties || node['x-kubernetes-preserve-unknown-fields']);
}

function openChanges(before: SchemaNode, after: SchemaNode, path: string): readonly Found[] {
  if (!isOpen(before) || isOpen(after)) return [];
  return [
    error('unknown-pruned', path, 'fields of any name were kept; those that the schema does not name are pruned'),
  ];
}

function enumChanges({ enum: was }: SchemaNode, { enum: is }: SchemaNode, path: string): readonly Found[] {
  if (!is) return [];
  if (!was) return [error('enum-narrowed', path, `any value was allowed; now ${list(is)}`)];
  const gone = was.filter((value) => !is.some((other) => sameJson(other, value)));
  const added = is.filter((value) => !was.some((other) => sameJson(other, value)));
  return [
    ...(gone.length > 0 ? [error('enum-narrowed', path, `no longer allowed: ${list(gone)}`)] : []),
    ...(added.length > 0
      ? [warning('enum-extended', path, `newly allowed, unknown to older clients: ${list(added)}`)]
      : []),
  ];
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

const lower = ['minLength', 'minItems', 'minProperties'] as const;
const upper = ['maxLength', 'maxItems', 'maxProperties'] as const;

function limitChanges(before: SchemaNode, after: SchemaNode, path: string): Found[] {
  const found: Found[] = [];
  const compare = (keyword: keyof SchemaNode, isTighter: boolean) => {
    if (isTighter)
      found.push(
        error('limit-tightened', path, `${keyword} was ${said(before, keyword)} and is ${said(after, keyword)}`),
      );
  };
  for (const keyword of lower) compare(keyword, (after[keyword] ?? 0) > (before[keyword] ?? 0));
  for (const keyword of upper) compare(keyword, (after[keyword] ?? Infinity) < (before[keyword] ?? Infinity));
  const [min, wasMin] = [after.minimum ?? -Infinity, before.minimum ?? -Infinity];
  const [max, wasMax] = [after.maximum ?? Infinity, before.maximum ?? Infinity];
  compare('minimum', min > wasMin);
  compare('maximum', max < wasMax);
  compare('exclusiveMinimum', min === wasMin && Boolean(after.exclusiveMinimum) && !before.exclusiveMinimum);
  compare('exclusiveMaximum', max === wasMax && Boolean(after.exclusiveMaximum) && !before.exclusiveMaximum);
  const step = after.multipleOf;
  compare('multipleOf', step !== undefined && !((before.multipleOf ?? Number.NaN) % step === 0));
  return found;
}

function said(node: SchemaNode, keyword: keyof SchemaNode): string {
  const value = node[keyword];
  return value === undefined ? 'not there' : JSON.stringify(value);
}

function textChanges(before: SchemaNode, after: SchemaNode, path: string): readonly Found[] {
  const change = (rule: ChangeRule, keyword: 'pattern' | 'format') =>
    after[keyword] === undefined || after[keyword] === before[keyword]
      ? []
      : [error(rule, path, `${keyword} was ${said(before, keyword)} and is ${said(after, keyword)}`)];
  return [...change('pattern-changed', 'pattern'), ...change('format-added', 'format')];
}

function defaultChanges({ default: was }: SchemaNode, { default: is }: SchemaNode, path: string): readonly Found[] {
  if (sameJson(was, is)) return [];
  const [then, now] = [JSON.stringify(was), JSON.stringify(is)];
  if (was === undefined) return [warning('default-added', path, `what was left out becomes ${now}`)];
  if (is === undefined) return [error('default-removed', path, `what is left out became ${then} and stays missing`)];
  return [error('default-changed', path, `what is left out became ${then} and becomes ${now}`)];
}

/** How values are merged, and whether they may be null. */
function treatmentChanges(before: SchemaNode, after: SchemaNode, path: string): Found[] {
  const found: Found[] = [];
  if (before.nullable && !after.nullable)
    found.push(error('null-refused', path, 'null was a value; now it means: left out'));
  const treatments = [
    ['x-kubernetes-list-type', 'atomic', before.type === 'array'],
    ['x-kubernetes-map-type', 'granular', before.type === 'object'],
    ['x-kubernetes-list-map-keys', undefined, true],
  ] as const;
  for (const [keyword, otherwise, applies] of treatments) {
    if (!applies || sameJson(before[keyword] ?? otherwise, after[keyword] ?? otherwise)) continue;
    found.push(error('list-changed', path, `${keyword} was ${said(before, keyword)} and is ${said(after, keyword)}`));
  }
  return found;
}

const combinators = ['allOf', 'anyOf', 'oneOf', 'not', 'x-kubernetes-embedded-resource'] as const;

function conditionChanges(before: SchemaNode, after: SchemaNode, path: string): readonly Found[] {
  const known = new Set((before['x-kubernetes-validations'] ?? []).map(({ rule }) => rule));
  const rules = (after['x-kubernetes-validations'] ?? []).filter(({ rule }) => !known.has(rule));
  const changed = combinators.filter((name) => after[name] !== undefined && !sameJson(before[name], after[name]));
  return [
    ...rules.map(({ rule }) => error('rule-added', path, `must hold now: ${rule}`)),
    ...changed.map((name) => error('rule-added', path, `${name} is not what it was`)),
  ];
}
