import type { CustomResourceDefinition } from '@coxswain/k8s';
import { isObject, sameJson } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { Change } from './change.ts';
import { diffSchema } from './diff-schema.ts';

/**
 * What an upgrade of a CRD can break for those who have objects of it, or programs that use it. Both CRDs are such as the
 * server takes. What is stored in `before` is read from its status; without one it is the storage version.
 * Values that were stored while they were allowed, and are not touched, are let be by the server (ratcheting).
 */
export function diffCrd(before: CustomResourceDefinition, after: CustomResourceDefinition): readonly Change[] {
  return [...nameChanges(before, after), ...versionChanges(before, after), ...conversionChanges(before, after)];
}

function error(rule: Change['rule'], path: string, message: string, version?: string): Change {
  return { rule, severity: 'error', ...(version !== undefined && { version }), path, message };
}

function nameChanges({ spec: was }: CustomResourceDefinition, { spec: is }: CustomResourceDefinition): Change[] {
  const found: Change[] = [];
  const names = [
    ['group', was.group, is.group],
    ['kind', was.names.kind, is.names.kind],
    ['plural', was.names.plural, is.names.plural],
  ] as const;
  for (const [what, then, now] of names) {
    if (then !== now) found.push(error('name-changed', '', `the ${what} was ${then} and is ${now}`));
  }
  if (was.scope !== is.scope) found.push(error('scope-changed', '', `the scope was ${was.scope} and is ${is.scope}`));
  return found;
}

type Version = CustomResourceDefinition['spec']['versions'][number];

function schemaOf(version: Version): SchemaNode {
  return (version.schema?.openAPIV3Schema ?? {}) as SchemaNode;
}

function versionChanges(before: CustomResourceDefinition, after: CustomResourceDefinition): Change[] {
  const found: Change[] = [];
  const stored =
    before.status?.storedVersions ?? before.spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
  for (const was of before.spec.versions) {
    const { name } = was;
    const is = after.spec.versions.find((version) => version.name === name);
    if (!is && stored.includes(name)) {
      found.push(
        error('version-removed', '', 'the version is gone, and objects are stored in it: migrate them first', name),
      );
    } else if (was.served && !is?.served) {
      found.push(error('version-unserved', '', 'the version was served and is no longer', name));
    }
    if (is) found.push(...diffSchema(schemaOf(was), schemaOf(is)).map((change) => ({ ...change, version: name })));
  }
  return found;
}

/** Without conversion the server only changes `apiVersion`, and prunes what the other version has no field for. */
function conversionChanges(before: CustomResourceDefinition, after: CustomResourceDefinition): readonly Change[] {
  const [name] = unlikeVersions(after);
  if (name === undefined || unlikeVersions(before).length > 0) return [];
  return [
    error('conversion-missing', '', 'its schema is not that of the stored version, and nothing converts objects', name),
  ];
}

/** Versions whose objects would need a conversion that there is not. */
function unlikeVersions({ spec }: CustomResourceDefinition): readonly string[] {
  if (spec.conversion?.strategy === 'Webhook') return [];
  const storage = spec.versions.find((version) => version.storage);
  const stored = storage && meaning(schemaOf(storage));
  return spec.versions.filter((version) => !sameJson(meaning(schemaOf(version)), stored)).map(({ name }) => name);
}

/** A schema without its prose. */
function meaning(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => meaning(item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name, child]) => {
    return key === 'properties' || name !== 'description' || typeof child !== 'string';
  });
  return Object.fromEntries(entries.map(([name, child]) => [name, meaning(child, key === 'properties' ? '' : name)]));
}
