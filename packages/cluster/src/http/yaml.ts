import { badRequest } from '@coxswain/runtime/core';
import { type Document, isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import type { DecodedBody } from './decode.ts';

/** Types of YAML 1.1 that Kubernetes' own reader leaves as strings. */
const leftOut = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
  'tag:yaml.org,2002:set',
]);

/**
 * One YAML document in the dialect of Kubernetes: YAML 1.1 (`yes` and `on` are booleans, `0644` is octal) without dates and
 * base-60 numbers.
 * @throws ApiError 400 with line and column
 */
export function parseYaml(text: string): DecodedBody {
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    // Or it tells this process of what is odd in a client's text.
    logLevel: 'error',
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || (!leftOut.has(tag.tag) && tag.format !== 'TIME')),
  });
  const [problem] = document.errors;
  if (problem) throw badRequest(`error converting YAML to JSON: yaml: ${problem.message.split('\n', 1)[0]}`);
  return { body: bodyOf(document), duplicates: duplicatesIn(document.contents, '') };
}

/** Values that a document may have when all its aliases are written out. */
const maxValues = 1_000_000;

/** The value of a document. Aliases share their values, which makes a few lines worth billions. */
function bodyOf(document: Document): unknown {
  const body = unaliased(document);
  if (sizeOf(body, new Map()) > maxValues) {
    throw badRequest('error converting YAML to JSON: yaml: document contains excessive aliasing');
  }
  return body;
}

function unaliased(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Values in a value, each shared one counted wherever it is; those of a value that holds itself have no end. */
function sizeOf(value: unknown, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const found = known.get(value);
  if (found !== undefined) return found;
  known.set(value, Number.POSITIVE_INFINITY);
  let size = 1;
  for (const item of Object.values(value)) size += sizeOf(item, known);
  known.set(value, size);
  return size;
}

export function writeYaml(value: unknown): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}

/** Paths of the keys that a mapping has more than once. */
function duplicatesIn(node: unknown, path: string): string[] {
  if (isSeq(node)) return node.items.flatMap((item, index) => duplicatesIn(item, `${path}[${index}]`));
  if (!isMap(node)) return [];
  const seen = new Set<string>();
  return node.items.flatMap(({ key, value }) => {
    const name = String(isScalar(key) ? key.value : key);
    const at = path === '' ? name : `${path}.${name}`;
    const repeated = seen.has(name) ? [at] : [];
    seen.add(name);
    return [...repeated, ...duplicatesIn(value, at)];
  });
}
