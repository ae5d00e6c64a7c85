import { readFileSync } from 'node:fs';

type TableNode = Readonly<Record<string, unknown>>;

let table: Readonly<Record<string, TableNode>> | undefined;

/**
 * Structural schemas of all built-in types by definition name (`io.k8s.api.core.v1.Pod`). `$ref` holds such a name.
 * `required` says what Go always writes, not what the server insists on. Read on first use (a few milliseconds).
 * @typeParam Node the caller's node type, `SchemaNode` of `@coxswain/schema` as a rule
 */
export function schemaTable<Node = TableNode>(): Readonly<Record<string, Node>> {
  table ??= JSON.parse(readFileSync(new URL('./generated/schemas.json', import.meta.url), 'utf8')) as Record<
    string,
    TableNode
  >;
  return table as Readonly<Record<string, Node>>;
}
