import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineResource, type ResourceDefinition, s } from '@coxswain/schema';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnmetError, UsageError } from '../errors.ts';
import { withCrdCommands } from './crd-options.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cox-crd-'));
});
afterAll(() => rm(folder, { recursive: true }));

const names = { group: 'demo.dev', version: 'v1', kind: 'Site', plural: 'sites', scope: 'Namespaced' } as const;

async function file(name: string, spec: ResourceDefinition['spec']): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(defineResource({ ...names, spec }).crd()));
  return path;
}

async function run(...args: readonly string[]): Promise<{ readonly said: string; readonly error: unknown }> {
  const said: string[] = [];
  const program = new Command().exitOverride();
  withCrdCommands(program, { isTTY: false, rows: 24, columns: 80, write: (text) => void said.push(text) });
  const error = await program.parseAsync(['crd', ...args], { from: 'user' }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { said: said.join(''), error };
}

describe('cox crd', () => {
  it('diff tells what breaks and fails, and says nothing of what does not', async () => {
    const before = await file('before.json', s.object({ size: s.int32().optional(), name: s.string().optional() }));
    const after = await file('after.json', s.object({ size: s.int32().optional() }));
    const broken = await run('diff', before, after);
    expect(broken.said).toMatch(/^sites\.demo\.dev v1 spec\.name: error: .+\n$/);
    expect(broken.error).toBeInstanceOf(UnmetError);
    expect(await run('diff', after, before)).toEqual({ said: '', error: undefined });
  });

  it('check tells what a server would refuse, with the bounds to add', async () => {
    const item = s.object({ text: s.string().maxLength(1000) }).rule('self.text.matches("a+")');
    const costly = await run('check', await file('costly.json', s.object({ items: s.list(item) })));
    expect(costly.said).toMatch(/^sites\.demo\.dev: error: .*; add spec\.items: maxItems\n/);
    expect(costly.error).toBeInstanceOf(UnmetError);
    const sound = await file('sound.json', s.object({ items: s.list(item).maxItems(8) }));
    expect(await run('check', sound)).toEqual({ said: '', error: undefined });
  });

  it('refuses files without definitions', async () => {
    const path = join(folder, 'none.yaml');
    await writeFile(path, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');
    expect((await run('check', path)).error).toBeInstanceOf(UsageError);
  });
});
