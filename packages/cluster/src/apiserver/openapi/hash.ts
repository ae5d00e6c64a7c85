import { createHash } from 'node:crypto';
import { emulatedVersion } from '../discovery/version.ts';
import type { ResourceInfo } from '../types.ts';

/**
 * What a document is made of, cheaper to hash than the document: the version for built-in kinds, the whole description for
 * custom ones.
 */
export function hashOf(path: string, resources: readonly ResourceInfo[]): string {
  const hash = createHash('sha512').update(`${emulatedVersion} ${path}`);
  for (const resource of resources) {
    const { group, version, plural, kind, verbs, status, scale, builtIn, selectable } = resource;
    const own = builtIn ? {} : { schema: resource.schema, selectable: Object.keys(selectable) };
    hash.update(JSON.stringify({ group, version, plural, kind, verbs, status, scale, ...own }));
  }
  return hash.digest('hex').toUpperCase();
}
