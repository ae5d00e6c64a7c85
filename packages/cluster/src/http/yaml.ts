import { badRequest } from '@coxswain/runtime/core';
import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
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
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || (!leftOut.has(tag.tag) && tag.format !== 'TIME')),
  });
  const [problem] = document.errors;
  if (problem) throw badRequest(`error converting YAML to JSON: yaml: ${problem.message.split('\n', 1)[0]}`);
  return { body: document.toJS(), duplicates: duplicatesIn(document.contents, '') };
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
