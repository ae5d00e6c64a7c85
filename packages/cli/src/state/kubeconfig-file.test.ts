import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeClusterHome } from './home.ts';
import { contextName, writeKubeconfig } from './kubeconfig-file.ts';
import { processStart, writeProcessFile } from './process-file.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cox-kubeconfig-'));
  path = join(dir, 'kubeconfig');
  vi.stubEnv('COX_HOME', join(dir, 'home'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

const config = (name: string, port = 1) =>
  `clusters:\n- name: "${name}"\n  cluster:\n    server: "https://127.0.0.1:${port}"\ncurrent-context: "${name}"\n`;

describe('writeKubeconfig', () => {
  it('writes for the user alone, also over an empty file or one of its own', async () => {
    await writeFile(path, '', { mode: 0o644 });
    for (const port of [1, 2]) await writeKubeconfig(path, 'a', config(contextName('a'), port));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeKubeconfig(path, 'default', config(contextName('default'), 3));
    expect(await readFile(path, 'utf8')).toBe(config('coxswain', 3));
  });

  it.each([
    ['of others', config('prod')],
    ['with others beside ours', `${config('prod')}${config('coxswain')}`],
    ['that is something else', 'hello\n'],
  ])('leaves a file %s alone', async (_what, text) => {
    await writeFile(path, text);
    await expect(writeKubeconfig(path, 'a', 'x')).rejects.toThrow(/is not a kubeconfig of cox; choose another/);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('leaves that of another cluster alone as long as it runs', async () => {
    const running = { pid: process.pid, started: await processStart(process.pid), url: 'u', kubeconfig: path };
    await writeFile(path, config('coxswain-b'));
    await writeProcessFile(makeClusterHome('b'), running);
    await expect(writeKubeconfig(path, 'a', 'x')).rejects.toThrow(/of the cluster named b, which runs \(pid \d+\)/);
    await writeKubeconfig(path, 'b', config('coxswain-b', 2));
    await writeProcessFile(makeClusterHome('b'), { ...running, started: '0' });
    await writeKubeconfig(path, 'a', config('coxswain-a'));
  });
});
