import { describe, expect, it } from 'vitest';
import { checkCrd } from './check-crd.ts';
import answers from './fixtures/server-answers.json' with { type: 'json' };
import { crdCases, crdOfCase } from './test/crd-cases.ts';

/** What a real kube-apiserver 1.37.2 said, recorded by `scripts/record-crd-answers.ts`. */
const recorded: Readonly<Record<string, readonly string[]>> = answers;

describe('checkCrd says what the API server says', () => {
  it('of every definition that was recorded', () => {
    expect(Object.keys(recorded)).toEqual(crdCases.map(({ name }) => name));
  });

  it.each(crdCases.map((one) => [one.name, one] as const))('%s', (name, one) => {
    const errors = checkCrd(crdOfCase(one, 'check.test.dev')).filter(({ severity }) => severity === 'error');
    expect([...new Set(errors.map(({ field, message }) => `${field}: ${message}`))].sort()).toEqual(recorded[name]);
  });
});
