import { describe, expect, it } from 'vitest';
import { checkOptions, optionNames } from './index.ts';

interface Options {
  readonly name: string;
  readonly ready?: () => boolean;
  readonly resyncAfter?: number;
}
const known = optionNames<Options>({ name: true, ready: true, resyncAfter: true });
const check = (given: unknown) => () => checkOptions('child(Deployment)', given, known);

describe('checkOptions', () => {
  it('takes known options, none, and known ones that are undefined', () => {
    expect(check({ name: 'a', resyncAfter: 1, ready: undefined })).not.toThrow();
    expect(check({})).not.toThrow();
    expect(check(undefined)).not.toThrow();
  });

  it.each([
    ['reday', 'ready'],
    ['Ready', 'ready'],
    ['nam', 'name'],
    ['resyncAfterMs', 'resyncAfter'],
    ['resync_after', 'resyncAfter'],
  ])('names %s and the nearest known one, %s', (given, near) => {
    expect(check({ [given]: 1 })).toThrow(`child(Deployment): unknown option \`${given}\`; did you mean \`${near}\`?`);
  });

  it('lists the known ones when none is near', () => {
    expect(check({ colour: 'red' })).toThrow(
      'child(Deployment): unknown option `colour`; known are name, ready, resyncAfter',
    );
  });

  it.each([
    [null, 'null'],
    ['web', 'a string'],
    [[], 'an array'],
    [() => true, 'a function'],
  ])('says what was given instead of options: %s', (given, said) => {
    expect(check(given)).toThrow(`child(Deployment): options are an object, not ${said}`);
  });
});
