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
});
