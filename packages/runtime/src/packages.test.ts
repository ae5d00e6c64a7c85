/** What it means to depend on the packages. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Manifest {
  readonly type: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const folder = (name: string) => new URL(`../../${name}/`, import.meta.url);
const manifest = (name: string) => JSON.parse(readFileSync(new URL('package.json', folder(name)), 'utf8')) as Manifest;

it.each(['k8s', 'schema', 'runtime', 'cluster', 'testing'])('%s is of one module system, shipped once', (name) => {
  const { type, exports } = manifest(name);
  expect(type).toBe('module');
  for (const path of Object.values(exports)) expect(path).toMatch(/^\.\/src\/.*\.ts$/);
  const sources = readdirSync(new URL('src/', folder(name)), { recursive: true }).map(String);
  expect(sources.filter((path) => /\.(cjs|cts|mjs|mts|js)$/.test(path) && !path.includes('node_modules'))).toEqual([]);
});

it('the runtime depends on four packages besides its siblings, by caret ranges', () => {
  const others = Object.entries(manifest('runtime').dependencies).filter(([name]) => !name.startsWith('@coxswain/'));
  expect(others.map(([name]) => name).sort()).toEqual(['@opentelemetry/api', 'prom-client', 'undici', 'yaml']);
  for (const [name, range] of others) expect(range, name).toMatch(/^\^\d+\./);
});
