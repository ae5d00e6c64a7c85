import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { matrixoneOperator } from '@coxswain/operator-matrixone';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../errors.ts';
import type { Screen } from '../view/live.ts';
import { importCrds } from './import.ts';
import { withImportCommands } from './import-options.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cox-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

const crd = (
  kind: string,
  { group = 'demo.dev', apiVersion = 'apiextensions.k8s.io/v1' } = {},
) => `apiVersion: ${apiVersion}
kind: CustomResourceDefinition
metadata: {name: ${kind.toLowerCase()}s.${group}}
spec:
  group: ${group}
  names: {kind: ${kind}, plural: ${kind.toLowerCase()}s}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}
`;

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

function recorder(): Screen & { readonly said: readonly string[] } {
  const said: string[] = [];
  return { isTTY: false, rows: 24, columns: 80, said, write: (text) => void said.push(text) };
}

async function run(...args: readonly string[]): Promise<string> {
  const screen = recorder();
  const program = new Command().exitOverride();
  withImportCommands(program, screen);
  await program.parseAsync(['import', 'crd', ...args], { from: 'user' });
  return screen.said.join('');
}

describe('cox import crd', () => {
  it('prints one module as it is, and several with their names', async () => {
    const one = await run(await file('one.yaml', crd('WebApp')));
    expect(one).toMatch(/^import \{ defineResource, .*\n\nexport const WebApp = defineResource\(\{\n/);
    const both = await run(
      await file(
        'both.yaml',
        `${crd('WebApp')}---\nkind: Other\napiVersion: v1\nmetadata: {name: a}\n---\n${crd('HTTPRoute')}`,
      ),
    );
    expect(both).toContain(`// web-app.ts\n${one}\n// http-route.ts\nimport`);
  });

  it('takes one kind of several', async () => {
    const path = await file('several.yaml', `${crd('WebApp')}---\n${crd('Store')}`);
    expect(await run(path, '--kind', 'store')).toContain('export const Store =');
    await expect(run(path, '--kind', 'shop')).rejects.toThrow(
      'no CustomResourceDefinition is of kind shop; there are WebApp, Store',
    );
  });

  it('reads lists, in JSON too, from standard input', async () => {
    const crds = matrixoneOperator.crds();
    const list = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinitionList',
      items: crds.map(({ apiVersion: _, kind: __, ...item }) => item),
    };
    const screen = recorder();
    async function* input() {
      yield Buffer.from(JSON.stringify(list));
    }
    await importCrds('-', { kind: 'LogSet' }, screen, input());
    expect(screen.said.join('')).toContain('export const LogSet = defineResource({');
  });

  it('writes a file for each, and replaces none unasked', async () => {
    const path = await file(
      'write.yaml',
      `${crd('WebApp')}---\n${crd('Store')}---\n${crd('Store', { group: 'other.dev' })}`,
    );
    const out = join(folder, 'api', 'v1');
    expect(await run(path, '--out', out)).toBe(
      ['web-app', 'store.demo.dev', 'store.other.dev'].map((name) => `${join(out, name)}.ts\n`).join(''),
    );
    await writeFile(join(out, 'web-app.ts'), 'mine');
    await rm(join(out, 'store.demo.dev.ts'));
    await expect(run(path, '--out', out)).rejects.toThrow(
      /web-app\.ts, .*store\.other\.dev\.ts: already there; --force/,
    );
    expect(await readdir(out)).toEqual(['store.other.dev.ts', 'web-app.ts']);
    await run(path, '--out', out, '--force');
    expect(await readFile(join(out, 'web-app.ts'), 'utf8')).toContain('export const WebApp');
  });

  it.each([
    ['no CRD', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n', 'there is no CustomResourceDefinition in it'],
    [
      'one of a version of old',
      crd('Old', { apiVersion: 'apiextensions.k8s.io/v1beta1' }),
      ':1: apiVersion: only apiextensions.k8s.io/v1 can be read',
    ],
    [
      'a schema that is none',
      crd('Bad').replace('{type: integer}', '7'),
      ':13: spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size: must be a schema',
    ],
    ['no YAML', 'a: [', 'not valid YAML'],
  ])('refuses %s', async (name, text, message) => {
    const path = await file(`${name}.yaml`, text);
    await expect(run(path)).rejects.toThrow(UsageError);
    await expect(run(path)).rejects.toThrow(message);
  });

  it('says what cannot be written', async () => {
    await mkdir(join(folder, 'plain'));
    const out = await file('plain/file', '');
    await expect(run(await file('ok.yaml', crd('WebApp')), '--out', out)).rejects.toThrow(
      `cannot write ${join(out, 'web-app.ts')}: there is a file`,
    );
  });
});

describe('the modules', () => {
  it('of the MatrixOne kinds define the same CRDs', async () => {
    const crds = matrixoneOperator.crds();
    const out = join(folder, 'matrixone');
    await run(
      await file('matrixone.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: crds })),
      '--out',
      out,
    );
    // packages are found from there as from here
    await symlink(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(folder, 'node_modules'));
    const defined = await Promise.all((await readdir(out)).map((name) => definedIn(join(out, name))));
    expect(defined).toHaveLength(crds.length);
    expect(defined).toEqual(expect.arrayContaining([...crds]));
  });
});

async function definedIn(path: string): Promise<unknown> {
  const [resource] = Object.values((await import(path)) as Readonly<Record<string, { crd(): unknown }>>);
  return resource?.crd();
}
