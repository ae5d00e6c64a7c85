import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

/** Tests and what only they use (`x.test.ts`, `test-x.ts`): they may also use `cluster` and `testing`, and any room of their own package. */
const testFile = /(\.test|(^|\/)test-[\w-]+)\.ts$/;

/** What each package may import, besides itself (`design.md`, Rooms). */
const allowed: Readonly<Record<string, readonly string[]>> = {
  k8s: [],
  schema: ['k8s'],
  runtime: ['k8s', 'schema'],
  cluster: ['k8s', 'schema', 'runtime'],
  testing: ['k8s', 'schema', 'runtime', 'cluster'],
  'operator-matrixone': ['k8s', 'schema', 'runtime'],
  cli: ['k8s', 'schema', 'runtime', 'cluster', 'testing', 'operator-matrixone'],
  bench: ['k8s', 'schema', 'runtime', 'cluster', 'testing', 'cli', 'operator-matrixone'],
};

/** Inside `runtime`, a room knows only rooms of a lower rank; siblings do not know each other. */
const runtimeRank: Readonly<Record<string, number>> = {
  core: 0,
  metrics: 1,
  pki: 1,
  queue: 2,
  client: 2,
  cache: 3,
  events: 4,
  election: 4,
  apply: 4,
  sharding: 4.5,
  tracing: 4,
  controller: 5,
  actor: 6,
  manager: 7,
  webhook: 8,
  serving: 8,
};

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g;

interface Source {
  readonly path: string;
  readonly folder: string;
  readonly name: string;
}

async function sources(root: string): Promise<Source[]> {
  const found: Source[] = [];
  for (const pattern of ['packages/*/src/**/*.ts', 'operators/*/src/**/*.ts', 'bench/src/**/*.ts']) {
    for await (const path of glob(pattern, { cwd: root })) {
      const parts = path.split('/');
      const folder = parts[0] === 'bench' ? 'bench' : parts.slice(0, 2).join('/');
      const short = parts[0] === 'bench' ? 'bench' : (parts[1] ?? '');
      found.push({ path, folder, name: parts[0] === 'operators' ? `operator-${short}` : short });
    }
  }
  return found;
}

function checkPackage(source: Source, target: string): string | undefined {
  const match = /^@coxswain\/([\w-]+)/.exec(target);
  const name = match?.[1];
  if (!name || name === source.name) return undefined;
  const isTest = testFile.test(source.path);
  if (allowed[source.name]?.includes(name) || (isTest && (name === 'cluster' || name === 'testing'))) return undefined;
  return `${source.path}: ${source.name} may not import @coxswain/${name}`;
}

function checkRelative(source: Source, target: string): string | undefined {
  const resolved = normalize(join(dirname(source.path), target));
  if (!resolved.startsWith(`${source.folder}/`)) return `${source.path}: reaches into another package: ${target}`;
  if (source.name !== 'runtime' || testFile.test(source.path)) return undefined;
  const from = source.path.split('/')[3] ?? '';
  const to = resolved.split('/')[3] ?? '';
  const fromRank = runtimeRank[from];
  const toRank = runtimeRank[to];
  if (from === to || fromRank === undefined || toRank === undefined || toRank < fromRank) return undefined;
  return `${source.path}: runtime/${from} may not import runtime/${to}`;
}

/** The violations of the import directions, a line each. */
export async function checkImports(root: string): Promise<string[]> {
  const violations: string[] = [];
  for (const source of await sources(root)) {
    const text = await readFile(join(root, source.path), 'utf8');
    for (const match of text.matchAll(importPattern)) {
      const target = match[1] ?? match[2] ?? match[3] ?? '';
      const violation = target.startsWith('.') ? checkRelative(source, target) : checkPackage(source, target);
      if (violation) violations.push(violation);
    }
  }
  return violations;
}
