import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compilePattern } from './pattern.ts';

describe('compilePattern', () => {
  it('agrees with RE2 on the shared dialect', () => {
    const atom = fc.constantFrom('a', '[a-c]', '[^b]', '\\d', '\\w', '.', '(a|b)', '(?:ab)', '\\.', '-', '^', '$', 'é');
    const piece = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{1,2}')).map((parts) => parts.join(''));
    const source = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '.', '-', '\n', '\r', 'é', '🚢'), maxLength: 6 });
    fc.assert(
      fc.property(source, text, (pattern, value) => {
        const compiled = compilePattern(pattern);
        if (compiled.error === undefined)
          expect(compiled.test(value)).toBe(RE2JS.compile(pattern).matcher(value).find());
      }),
      { numRuns: 200 },
    );
  });

  it('takes what only RE2 knows', () => {
    expect(compilePattern('(?i)^abc$').test('ABC')).toBe(true);
    expect(compilePattern('^[[:alpha:]]+\\z').test('abc')).toBe(true);
    expect(compilePattern('^\\s$').test('\u00a0')).toBe(false);
  });

  it('cannot be made slow', () => {
    expect(compilePattern('^(a+)+$').test(`${'a'.repeat(5000)}!`)).toBe(false);
  });

  it('says why a pattern is none, and matches nothing', () => {
    const pattern = compilePattern('a(?=b)');
    expect(pattern.error).toMatch(/invalid/);
    expect(pattern.test('ab')).toBe(false);
  });

  // Tried one way after the other, each of them takes hours.
  it.each([
    ['(.*a){20}', `${'a'.repeat(15)}${'b'.repeat(10_000)}`],
    ['(a?){30}a{30}$', `${'a'.repeat(59)}b`.repeat(3)],
    ['^(a|a|ab)*$', `${'a'.repeat(60)}!`],
    [`${'a?'.repeat(30)}${'a'.repeat(30)}$`, `${'a'.repeat(29)}b`],
    ['^a*a*a*a*a*$', `${'a'.repeat(2_000)}b`],
    ['[a-z]+!', 'a'.repeat(1_000_000)],
    ['^(a{0,9}){9}$', `${'a'.repeat(80)}b`],
  ])('%s is slow on no text', (source, text) => {
    expect(compilePattern(source).test(text)).toBe(false);
  });

  it('refuses what Go does not compile', () => {
    const tooDeep = `${'('.repeat(2_000)}a${')'.repeat(2_000)}`;
    for (const source of ['((a{0,100}){0,100}){0,100}', 'a{1001}', 'a{2,1001}', tooDeep]) {
      expect(compilePattern(source).error).toBeDefined();
    }
  });
});
