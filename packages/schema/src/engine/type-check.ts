import { fieldError } from '../field-error.ts';
import type { SchemaNode } from '../node.ts';
import type { Kind } from './check.ts';
import { knownFormat } from './formats.ts';
import type { Report } from './report.ts';

/** Formats the server gives to numbers it decoded itself. */
const formatOfKind: Readonly<Partial<Record<Kind, string>>> = { integer: 'int64', number: 'float64' };

/** `type` as the validator sees it: int-or-string stands for both. */
export function typesOf(node: SchemaNode): readonly string[] {
  if (node['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return node.type === undefined ? [] : [node.type];
}

/** The `format` that is in force; the server ignores those it does not know for the type. */
export function formatOf(node: SchemaNode): string | undefined {
  const { format } = node;
  const types = typesOf(node);
  if (!format) return undefined;
  const type = types.length === 1 ? types[0] : 'string';
  if (type === 'string') return knownFormat(format) ? format : undefined;
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : undefined;
  return type === 'number' && (format === 'float' || format === 'double') ? format : undefined;
}

/** Whether the server knows the `format` of a node for its type. */
export function isKnownFormat(node: SchemaNode): boolean {
  return formatOf(node) !== undefined;
}

/** What the server says when a value of this kind stands where the node expects another; undefined when it fits. */
export function typeMismatch(node: SchemaNode, kind: Kind): { expected: string; actual: string } | undefined {
  const types = typesOf(node);
  const format = formatOf(node);
  const fits = types.includes(kind) || (kind === 'integer' && types.includes('number'));
  const textual = kind === 'string' || kind === 'array';
  if (format !== undefined && !textual) {
    const actual = formatOfKind[kind] ?? '';
    return fits || actual === format ? undefined : { expected: format, actual };
  }
  // A list passes as a formatted string: the server checks neither further.
  if (format !== undefined && !types.includes('integer') && !types.includes('number')) return undefined;
  if (types.length === 0 && format === undefined) return undefined;
  return fits ? undefined : { expected: types.join(','), actual: kind };
}

/** Writes a type error. */
export function reportType(report: Report, expected: string, actual: string): false {
  const detail = `must be of type ${expected}: "${actual}"`;
  return report.problem(detail, (field, text) => fieldError.typeInvalid(field, actual, text));
}
