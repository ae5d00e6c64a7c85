import { badRequest } from '@coxswain/runtime/core';
import { parseDocument, stringify } from 'yaml';
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
  const duplicates: string[] = [];
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || (!leftOut.has(tag.tag) && tag.format !== 'TIME')),
  });
  const [problem] = document.errors;
  if (problem) throw badRequest(`error converting YAML to JSON: yaml: ${problem.message.split('\n', 1)[0]}`);
  return { body: document.toJS(), duplicates };
}

export function writeYaml(value: unknown): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}
