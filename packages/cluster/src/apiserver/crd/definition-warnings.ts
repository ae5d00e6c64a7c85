import { isKnownFormat, type SchemaNode } from '@coxswain/schema';
import { objectAt, objectsAt, type ReadJson } from '../builtin/shared/draft.ts';
import { schemaOf } from './validate.ts';

/** All nodes of a schema that may be any JSON, combinators included. */
function* nodesOf(node: ReadJson): Iterable<ReadJson> {
  yield node;
  const inner = [objectAt(node, 'items'), objectAt(node, 'not'), objectAt(node, 'additionalProperties')];
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => objectsAt(node, key));
  const properties = objectAt(node, 'properties') ?? {};
  const named = Object.keys(properties).map((name) => objectAt(properties, name));
  for (const child of [...inner, ...lists, ...named]) if (child) yield* nodesOf(child);
}

function warningsOf(node: ReadJson): readonly string[] {
  const texts: string[] = [];
  const { format } = node;
  if (typeof format === 'string' && format !== '' && !isKnownFormat(node as SchemaNode)) {
    texts.push(`unrecognized format ${JSON.stringify(format)}`);
  }
  const type = objectAt(node, 'items')?.type;
  if (node['x-kubernetes-list-type'] === 'set' && (type === 'object' || type === 'array')) {
    const what = `x-kubernetes-list-type: set for items of type "${type}"`;
    texts.push(`${what} is not supported by server-side apply or CEL validation rules`);
  }
  return texts;
}

/** What in the schemas of a definition is accepted but does not do what one might expect, each thing once: formats first. */
export function definitionWarnings(definition: ReadJson | undefined): ReadonlySet<string> {
  const schemas = objectsAt(objectAt(definition, 'spec'), 'versions').map(schemaOf);
  const texts = schemas.flatMap((schema) => (schema ? [...nodesOf(schema)].flatMap(warningsOf) : []));
  return new Set(texts.sort());
}
