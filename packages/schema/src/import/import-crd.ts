import type { CustomResourceDefinition, Json } from '@coxswain/k8s';
import { nodeAt } from '../structural/node-at.ts';
import { type Code, type Entry, literal, wide } from './code.ts';
import { printCode } from './print-code.ts';
import { type CrdContent, readCrd, type VersionContent } from './read-crd.ts';
import { rootEntries } from './root-code.ts';

/**
 * A CRD as the TypeScript module that defines it: run, its `crd()` says what `crd` says. Left out is what is not the
 * author's: what the server fills in and keeps, the prose on `apiVersion`, `kind` and `metadata` (which the server
 * replaces when it publishes the schema), and the conversion webhook, which belongs to an installation.
 * @throws ImportError when it is not a CRD of `apiextensions.k8s.io/v1` that the server could take
 */
export function importCrd(crd: CustomResourceDefinition): string {
  const content = readCrd(crd);
  const [only, second] = content.versions;
  if (!only) return '';
  return second ? versionsModule(content) : resourceModule(content, only);
}

function resourceModule({ names }: CrdContent, version: VersionContent): string {
  const name = identifier(names.kind);
  const entries = [...nameEntries(names, [['version', literal(version.name)]]), ...versionEntries(version)];
  return [
    importLine('defineResource', entries),
    '',
    `${exported(name, 'defineResource', entries)}`,
    `export type ${name} = ResourceType<typeof ${name}>;`,
    '',
  ].join('\n');
}

function versionsModule({ names, versions, storage, hasWebhook }: CrdContent): string {
  const name = identifier(names.kind);
  const each = versions.map((version): Entry => [version.name, wide(versionEntries(version))]);
  const entries: readonly Entry[] = [...nameEntries(names), ['storage', literal(storage)], ['versions', wide(each)]];
  const lines = [importLine('defineVersions', entries), ''];
  if (hasWebhook) {
    lines.push(
      '// Objects are converted by a webhook: say how in the second argument, and put the webhook into the CRD with',
    );
    lines.push('// `withConversionWebhook` of @coxswain/runtime/webhook.');
  }
  lines.push(exported(name, 'defineVersions', entries));
  for (const version of versions) {
    const own = name + identifier(version.name);
    lines.push('', `export const ${own} = ${name}.version(${printCode(literal(version.name))});`);
    lines.push(`export type ${own} = ResourceType<typeof ${own}>;`);
  }
  return [...lines, ''].join('\n');
}

function importLine(define: string, entries: readonly Entry[]): string {
  const builder = entries.some(([, code]) => usesBuilder(code)) ? ', s' : '';
  return `import { ${define}, type ResourceType${builder} } from '@coxswain/schema';`;
}

function usesBuilder(code: Code): boolean {
  return code.is === 'chain' || (code.is === 'object' && code.entries.some(([, value]) => usesBuilder(value)));
}

function exported(name: string, define: string, entries: readonly Entry[]): string {
  const start = `export const ${name} = `;
  return `${start}${printCode({ is: 'call', callee: define, args: [wide(entries)] }, start.length, 1)};`;
}

/** `redis-cluster` → `RedisCluster`; a capital keeps it from being a word of the language. */
function identifier(name: string): string {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const joined = words.join('');
  return joined === 'ResourceType' ? 'ResourceTypeResource' : joined;
}

function nameEntries(names: CrdContent['names'], version: readonly Entry[] = []): readonly Entry[] {
  const { group, ...others } = names;
  const entries = Object.entries(others).map(([name, value]): Entry => [name, literal(value as Json)]);
  return [['group', literal(group)], ...version, ...entries];
}

function versionEntries(version: VersionContent): readonly Entry[] {
  const { printColumns, selectableFields, deprecated, served, status, scale } = version;
  const subresources = { ...(status && { status }), ...(scale && { scale: { ...scale } }) };
  const entries: Entry[] = [...rootEntries(version.schema)];
  if (printColumns.length > 0) entries.push(['printColumns', literal(printColumns.map((column) => ({ ...column })))]);
  if (status || scale) entries.push(['subresources', literal(subresources)]);
  if (selectableFields.length > 0) entries.push(['selectableFields', literal(selectableFields)]);
  if (pathsOf(version).some((path) => nodeAt(version.schema, path) === undefined))
    entries.push(['uncheckedPaths', literal(true)]);
  if (deprecated !== false) entries.push(['deprecated', literal(deprecated)]);
  if (!served) entries.push(['served', literal(false)]);
  return entries;
}

function pathsOf({ printColumns, selectableFields, scale }: VersionContent): readonly string[] {
  return [...printColumns.map(({ jsonPath }) => jsonPath), ...selectableFields, ...Object.values({ ...scale })];
}
