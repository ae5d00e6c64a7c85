import { expect, test } from 'vitest';
import { eachKey } from './json-keys.ts';

test('keys come in the order of the text, with their paths; what is passed over is not looked into', () => {
  const seen: string[] = [];
  eachKey(
    '{"b":{"x":[{"k":1,"k":{"z":1}},[{"q":2}]]},"a":"{\\"no\\":1}","skip":{"in":{"x":1}},"b":[],"c":1}',
    (path, repeated) => {
      seen.push(`${path}${repeated ? ' again' : ''}`);
      return path !== 'skip' && path !== 'b.x[0].k';
    },
  );
  expect(seen).toEqual(['b', 'b.x', 'b.x[0].k', 'b.x[0].k again', 'b.x[1][0].q', 'a', 'skip', 'b again', 'c']);
});
