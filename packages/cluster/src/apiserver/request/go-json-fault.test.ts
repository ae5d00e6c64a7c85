import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goJsonFault } from './go-json-fault.ts';

const faultOf = (text: string) => goJsonFault(Buffer.from(text));

test('what JSON.parse takes has no fault, and what it refuses has one', () => {
  const broken = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '{', ']', ',', '"', '0', '\\', '\n', 'e', '-'));
  fc.assert(
    fc.property(broken, ([text, at, junk]) => {
      const place = at % (text.length + 1);
      const odd = `${text.slice(0, place)}${junk}${text.slice(place + 1)}`;
      let valid = true;
      try {
        JSON.parse(odd);
      } catch {
        valid = false;
      }
      expect(faultOf(odd) === undefined).toBe(valid);
    }),
  );
});

test('nesting has an end', () => {
  expect(faultOf(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBeUndefined();
  expect(faultOf('{"a":['.repeat(5_001))).toBe("invalid character '{' exceeded max depth");
});
