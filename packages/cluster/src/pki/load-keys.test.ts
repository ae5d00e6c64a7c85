import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@coxswain/runtime/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeysError, loadKeys } from './load-keys.ts';

const clock = new VirtualClock();
let dir = '';
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'cox-keys-')), 'pki');
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

test('keys stay the same over restarts, and are not for others', () => {
  const first = loadKeys({ clock, dir });
  const second = loadKeys({ clock, dir });
  expect(second.authority.cert).toBe(first.authority.cert);
  expect(second.serviceAccountKey).toBe(first.serviceAccountKey);
  expect(createPrivateKey(first.serviceAccountKey).asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  for (const name of ['ca.key', 'sa.key']) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
});

test('a start that was cut short after the key makes a new authority', () => {
  const { authority } = loadKeys({ clock, dir });
  rmSync(join(dir, 'ca.crt'));
  expect(loadKeys({ clock, dir }).authority.cert).not.toBe(authority.cert);
});

test('what cannot be used is said, not replaced', () => {
  loadKeys({ clock, dir });
  rmSync(join(dir, 'ca.key'));
  expect(() => loadKeys({ clock, dir })).toThrow(/ca\.key is missing.*remove the directory/);
  writeFileSync(join(dir, 'ca.key'), 'rubbish');
  expect(() => loadKeys({ clock, dir })).toThrow(KeysError);
  expect(() => loadKeys({ clock, dir: '/proc/nowhere' })).toThrow(/cannot be used/);
});

test('without a directory nothing is kept', () => {
  expect(loadKeys({ clock }).serviceAccountKey).not.toBe(loadKeys({ clock }).serviceAccountKey);
});
