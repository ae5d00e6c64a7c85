import type { SchemaNode } from '../node.ts';
import type { Resource } from '../resource/types.ts';
import { constraintsOf, typeText } from './constraints.ts';

/**
 * Reference documentation in Markdown: for each resource a table of its fields (path, type, default, constraints,
 * description), in alphabetical order, so that the text is stable. What the server fills (`metadata` …) is left out.
 */
export function referenceDocs(resources: readonly Resource[]): string {
  const titled = resources.map((resource) => [titleOf(resource), resource] as const);
  return titled
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, resource]) => section(title, resource))
    .join('\n');
}

function titleOf({ kind, group, version }: Resource): string {
  return `${kind} (${group}/${version})`;
}

function section(title: string, { schema }: Resource): string {
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties ?? {};
  const intro = schema.description === undefined ? [] : [schema.description, ''];
  const head = ['| Field | Type | Default | Constraints | Description |', '| --- | --- | --- | --- | --- |'];
  return [`## ${title}`, '', ...intro, ...head, ...rowsOf({ ...schema, properties }, ''), ''].join('\n');
}

/** The fields below a node; those of list items are `[]`, those of map values `[*]`. */
function rowsOf(node: SchemaNode, path: string): readonly string[] {
  if (node.items) return rowsOf(node.items, `${path}[]`);
  if (typeof node.additionalProperties === 'object') return rowsOf(node.additionalProperties, `${path}[*]`);
  const fields = Object.entries(node.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return fields.flatMap(([name, child]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [row(at, child, node.required?.includes(name) === true), ...rowsOf(child, at)];
  });
}

function row(path: string, node: SchemaNode, required: boolean): string {
  const value = node.default === undefined ? '' : `\`${JSON.stringify(node.default)}\``;
  const constraints = [...(required ? ['required'] : []), ...constraintsOf(node)].join('; ');
  return `| ${[`\`${path}\``, typeText(node), value, constraints, node.description ?? ''].map(cell).join(' | ')} |`;
}

function cell(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replace(/\s*[\r\n]+\s*/g, ' ')
    .replaceAll('<', '&lt;');
}
