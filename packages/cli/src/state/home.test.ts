import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterHome, makeClusterHome } from './home.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cox-home-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const at = (env: Record<string, string>, home = '') => ({ env, homedir: () => home });

describe('clusterHome', () => {
  it('is below COX_HOME, or below the home folder', () => {
    expect(clusterHome('a', at({ COX_HOME: '/x' }, '/home/me'))).toBe('/x/a');
    expect(clusterHome('a', at({}, '/home/me'))).toBe('/home/me/.coxswain/a');
    expect(clusterHome('a', at({ COX_HOME: '' }, '/home/me'))).toBe('/home/me/.coxswain/a');
  });

  it('is never below the working directory because HOME is empty', () => {
    expect(() => clusterHome('a', at({}))).toThrow(/HOME is empty.*set HOME, or COX_HOME/);
  });

  it('makes nothing', () => {
    clusterHome('a', at({ COX_HOME: join(dir, 'new') }));
    expect(existsSync(join(dir, 'new'))).toBe(false);
  });
});

describe('makeClusterHome', () => {
  it('makes the folder', () => {
    expect(existsSync(makeClusterHome('a', at({ COX_HOME: join(dir, 'new') })))).toBe(true);
  });

  it('says so when a part of the path is a file', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(() => makeClusterHome('a', at({ COX_HOME: join(dir, 'file', 'deep') }))).toThrow(
      /^cannot make the folder .*file\/deep\/a: a part of the path is a file, not a folder; set COX_HOME/,
    );
    expect(() => makeClusterHome('file', at({ COX_HOME: dir }))).toThrow(/there is a file of this name; set COX_HOME/);
  });
});
