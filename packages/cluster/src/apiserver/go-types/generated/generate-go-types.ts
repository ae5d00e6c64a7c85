/**
 * Writes go-types.json from the Go types of Kubernetes: `node generate-go-types.ts DIR VERSION`, where DIR holds the modules
 * `api@VERSION`, `apimachinery@VERSION`, `apiextensions-apiserver@VERSION` and `kube-aggregator@VERSION`. OpenAPI tells neither the
 * order of fields, nor which are those of embedded structs, nor the names of types that are texts or lists.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaTable } from '@coxswain/k8s/schemas';

const [root = '.', version = ''] = process.argv.slice(2);
/** Definition → its fields in order (`json:type`, of embedded structs `:type`), or the type it is another name of. */
const types: Record<string, readonly string[] | string> = {};
/** Group version → where its types are, and its kinds. */
const groups: Record<string, readonly [string, string]> = {};

const scalars = new Set(['string', 'bool', 'byte', 'int', 'int32', 'int64', 'uint64', 'float64', 'any', 'interface{}']);

function definitionPrefix(path: string): string {
  const [domain = '', ...rest] = path.split('/');
  return [...domain.split('.').reverse(), ...rest].join('.');
}

function importsOf(text: string): ReadonlyMap<string, string> {
  const block = /^import \(([\s\S]*?)^\)/m.exec(text)?.[1] ?? '';
  const found = [...block.matchAll(/^\t(?:(\w+) )?"([^"]+)"/gm)];
  return new Map(found.map(([, alias, path = '']) => [alias ?? path.slice(path.lastIndexOf('/') + 1), path]));
}

/** A type expression with the full names of what is not built into Go; without pointers, which errors do not show. */
function resolved(expression: string, prefix: string, imports: ReadonlyMap<string, string>): string {
  const bare = expression.replace(/^\*/, '');
  if (bare.startsWith('[]')) return `[]${resolved(bare.slice(2), prefix, imports)}`;
  const map = /^map\[([\w.]+)\](.+)$/.exec(bare);
  if (map) return `map[${resolved(map[1] ?? '', prefix, imports)}]${resolved(map[2] ?? '', prefix, imports)}`;
  if (scalars.has(bare)) return bare;
  const [local = '', name] = bare.split('.');
  return name === undefined ? `${prefix}.${local}` : `${definitionPrefix(imports.get(local) ?? local)}.${name}`;
}

function readPackage(directory: string, prefix: string): void {
  for (const file of readdirSync(directory).filter((name) => /\.go$/.test(name) && !/_test\.go$|^zz_|generated/.test(name))) {
    const text = readFileSync(join(directory, file), 'utf8');
    const imports = importsOf(text);
    for (const [, name = '', type = ''] of text.matchAll(/^type (\w+) ((?:\[\]|map\[|\w)[\w.[\]*]*)$/gm)) {
      if (type !== 'interface' && type !== 'struct') types[`${prefix}.${name}`] = resolved(type, prefix, imports);
    }
    for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      const pattern = /^\t(?:\w+\s+)?([^\s`]+)\s+`[^`]*json:"([^",]*)((?:,[^",]*)*)"/gm;
      const fields = [...body.matchAll(pattern)].filter(([, , json]) => json !== '-');
      types[`${prefix}.${name}`] = fields.map(([, type = '', json = '']) => `${json}:${resolved(type, prefix, imports)}`);
    }
  }
}

function kindsIn(prefix: string): string {
  const meta = ':io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta';
  const own = Object.entries(types).filter(([name]) => name.slice(0, name.lastIndexOf('.')) === prefix);
  return own
    .filter(([, fields]) => Array.isArray(fields) && fields.includes(meta))
    .map(([name]) => name.slice(name.lastIndexOf('.') + 1))
    .sort()
    .join(' ');
}

function groupOf(directory: string): string {
  const register = readFileSync(join(directory, 'register.go'), 'utf8');
  return /GroupName\s*=\s*"([^"]*)"/.exec(register)?.[1] ?? '';
}

function main(): void {
  const meta = 'k8s.io/apimachinery/pkg/apis/meta/v1';
  readPackage(join(root, `apimachinery@${version}`, 'pkg/apis/meta/v1'), definitionPrefix(meta));
  types['io.k8s.apimachinery.pkg.types.UID'] = 'string';
  const api = join(root, `api@${version}`);
  const folders = readdirSync(api, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const packages: (readonly [string, string])[] = folders.flatMap(({ name }) =>
    readdirSync(join(api, name), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^v\d/.test(entry.name))
      .map((entry) => [join(api, name, entry.name), `k8s.io/api/${name}/${entry.name}`] as const),
  );
  for (const [module, path] of [
    ['apiextensions-apiserver', 'pkg/apis/apiextensions/v1'],
    ['kube-aggregator', 'pkg/apis/apiregistration/v1'],
  ] as const) {
    packages.push([join(root, `${module}@${version}`, path), `k8s.io/${module}/${path}`]);
  }
  for (const [directory, path] of packages) {
    if (/^k8s.io\/api\/(imagepolicy|testdata)\//.test(path)) continue;
    const prefix = definitionPrefix(path);
    readPackage(directory, prefix);
    const group = groupOf(directory);
    const apiVersion = path.slice(path.lastIndexOf('/') + 1);
    groups[group === '' ? apiVersion : `${group}/${apiVersion}`] = [prefix, kindsIn(prefix)];
  }
  const prefixOf = (name: string) => name.slice(0, name.lastIndexOf('.'));
  const served = new Set([...Object.keys(schemaTable()).map(prefixOf), 'io.k8s.apimachinery.pkg.types']);
  const kept = Object.entries(types).filter(([name]) => served.has(prefixOf(name)));
  const table = { types: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))), groups };
  writeFileSync(new URL('./go-types.json', import.meta.url), `${JSON.stringify(table)}\n`);
}

main();
