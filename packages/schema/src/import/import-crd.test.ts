import { readFileSync } from 'node:fs';
import type { CustomResourceDefinition } from '@coxswain/k8s';
import { describe, expect, it } from 'vitest';
import { importCrd } from './import-crd.ts';
import { crdOfModule, normalCrd } from './test-run-module.ts';

function fixture(path: string): CustomResourceDefinition {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as CustomResourceDefinition;
}

describe('a CRD', () => {
  it.each(['../fixtures/everything-crd.json'])('comes back out of the module made from it: %s', (path) => {
    const crd = fixture(path);
    expect(normalCrd(crdOfModule(importCrd(crd)))).toEqual(normalCrd(crd));
  });
});
