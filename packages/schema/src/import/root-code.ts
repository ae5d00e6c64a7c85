import type { Json } from '@coxswain/k8s';
import { own } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import { type Code, type Entry, literal, wide } from './code.ts';
import { schemaCode } from './schema-code.ts';

/** What every object has, as `defineResource` says it by itself. */
const everyObject: Readonly<Record<string, SchemaNode>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object' },
};

/** The schema of a whole object as the parts of a definition. */
export function rootEntries(schema: SchemaNode): readonly Entry[] {
  const { type: _, description, properties: __, required = [], 'x-kubernetes-validations': rules, ...others } = schema;
  const properties = { ...everyObject, ...schema.properties };
  const spec = own(properties, 'spec');
  const status = required.includes('status') ? undefined : own(properties, 'status');
  const root = Object.entries(properties)
    .filter(([name]) => name !== 'spec' && !(name === 'status' && status))
    .flatMap(([name, node]) => fieldEntry(name, node, required.includes(name)));
  const isKnown = required.every((name) => Object.hasOwn(properties, name));
  const keywords: SchemaNode = { ...others, ...(!isKnown && { required }) };
  return [
    ...entry('description', description !== undefined && literal(description)),
    ...entry('spec', spec && schemaCode(spec, required.includes('spec') ? 'required' : 'value')),
    ...entry('specOptional', spec && !required.includes('spec') && literal(true)),
    ...entry('status', status && schemaCode(status)),
    ...entry('root', root.length > 0 && wide(root)),
    ...entry('rules', rules && literal(rules.map((rule) => ({ ...rule })))),
    ...entry('with', Object.keys(keywords).length > 0 && literal({ ...keywords } as Json)),
  ];
}

function entry(name: string, code: Code | false | undefined): readonly Entry[] {
  return code ? [[name, code]] : [];
}

/** The prose on `apiVersion`, `kind` and `metadata` is dropped: the server publishes its own. */
function fieldEntry(name: string, node: SchemaNode, required: boolean): readonly Entry[] {
  const builtIn = own(everyObject, name);
  if (!builtIn) return [[name, schemaCode(node, required ? 'required' : 'optional')]];
  const { description: _, ...said } = node;
  const isPlain = Object.keys(said).length === 1 && said.type === builtIn.type;
  if (!isPlain) return [[name, schemaCode(said, required ? 'required' : 'optional')]];
  // the type of the field is known already; `unknown` adds nothing to it
  const call = { name: 'raw', types: 'unknown', args: [literal({ ...said } as Json)] };
  return required ? [[name, { is: 'chain', head: 's', calls: [call] }]] : [];
}
