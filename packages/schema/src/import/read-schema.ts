import { isObject, own, setOwn } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import { ImportError } from './errors.ts';

interface Content {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
}

const text: Content = { is: (value) => typeof value === 'string', what: 'a string' };
const number: Content = { is: (value) => typeof value === 'number', what: 'a number' };
const flag: Content = { is: (value) => typeof value === 'boolean', what: 'true or false' };
const json: Content = { is: () => true, what: 'JSON' };
const list: Content = { is: Array.isArray, what: 'a list' };
const object: Content = { is: isObject, what: 'an object' };
const texts: Content = {
  is: (value) => Array.isArray(value) && value.every(text.is),
  what: 'a list of strings',
};
const rules: Content = {
  is: (value) => Array.isArray(value) && value.every((rule) => isObject(rule) && text.is(rule['rule'])),
  what: 'a list of rules, each with its rule',
};

/** The keywords that the server keeps, without those that hold schemas. */
const keywords: Readonly<Record<string, Content>> = {
  title: text,
  description: text,
  type: text,
  format: text,
  pattern: text,
  minimum: number,
  maximum: number,
  multipleOf: number,
  minLength: number,
  maxLength: number,
  minItems: number,
  maxItems: number,
  minProperties: number,
  maxProperties: number,
  nullable: flag,
  exclusiveMinimum: flag,
  exclusiveMaximum: flag,
  uniqueItems: flag,
  default: json,
  example: json,
  externalDocs: object,
  enum: list,
  required: texts,
  'x-kubernetes-preserve-unknown-fields': flag,
  'x-kubernetes-embedded-resource': flag,
  'x-kubernetes-int-or-string': flag,
  'x-kubernetes-list-type': text,
  'x-kubernetes-list-map-keys': texts,
  'x-kubernetes-map-type': text,
  'x-kubernetes-validations': rules,
};

/** What the server refuses in any schema of a CRD. */
const refused = ['$ref', 'id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies'];

/**
 * A schema as a manifest holds it, without what the server does not keep: keywords that it does not know, and `null`.
 * @param path where it stands in the manifest, for errors
 * @throws ImportError when it is no schema
 */
export function readSchema(value: unknown, path: string): SchemaNode {
  if (!isObject(value)) throw new ImportError(path, 'must be a schema, an object');
  const node: Record<string, unknown> = {};
  for (const [keyword, content] of Object.entries(value)) {
    if (content === null) continue;
    const at = `${path}.${keyword}`;
    if (refused.includes(keyword)) {
      throw new ImportError(at, 'a CRD cannot have this; write the schema out in place');
    }
    const read = readKeyword(keyword, content, at);
    if (read !== undefined) node[keyword] = read;
  }
  return node;
}

function readKeyword(keyword: string, content: unknown, at: string): unknown {
  switch (keyword) {
    case 'properties':
      return readSchemas(content, at);
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      if (!Array.isArray(content)) throw new ImportError(at, 'must be a list of schemas');
      return content.map((branch, index) => readSchema(branch, `${at}[${index}]`));
    case 'additionalProperties':
      return typeof content === 'boolean' ? content : readSchema(content, at);
    case 'items':
    case 'not':
      return readSchema(content, at);
  }
  const known = own(keywords, keyword);
  if (known && !known.is(content)) throw new ImportError(at, `must be ${known.what}`);
  return known && content;
}

function readSchemas(value: unknown, path: string): Record<string, SchemaNode> {
  if (!isObject(value)) throw new ImportError(path, 'must be an object with a schema for each field');
  const schemas: Record<string, SchemaNode> = {};
  for (const [name, schema] of Object.entries(value)) setOwn(schemas, name, readSchema(schema, `${path}.${name}`));
  return schemas;
}
