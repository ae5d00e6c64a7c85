import type { Random } from '@coxswain/runtime/core';
import { pick, upTo } from './draw.ts';

/** Pieces that mean something to one of the parsers behind a text: selectors, expressions, quantities, paths, YAML, encodings. */
const pieces: readonly string[] = [
  ' in (a,b)',
  ' notin (',
  '!=',
  '==',
  ',',
  '!',
  '(',
  ')',
  '[',
  '{',
  '}',
  '"',
  "'",
  '\\',
  '/',
  '//',
  '..',
  '~1',
  '~',
  '-',
  '*',
  '%00',
  '%',
  '%zz',
  '\u0000',
  '\u2028',
  '\ufeff',
  '😀',
  '.map(x, x)',
  '?.',
  '[?0]',
  ' ? 1 : ',
  ' && ',
  '.matches("(a+)+$")',
  'duration("1h")',
  'quantity("1Gi")',
  '18446744073709551616',
  '-9223372036854775808',
  '0x1F',
  '1e9999',
  'Ki',
  ': &a [*a]',
  '\n---\n',
  '\n- ',
  '<<: *x',
  '\t',
];

/** Changes a text in one place. */
export function mutateText(text: string, random: Random): string {
  const at = upTo(text.length + 1, random);
  const end = at + upTo(Math.max(1, Math.min(8, text.length - at + 1)), random);
  const moves: (() => string)[] = [
    () => text.slice(0, at) + pick(pieces, random) + text.slice(at),
    () => text.slice(0, at) + text.slice(end),
    () => text.slice(0, end) + text.slice(at),
    () => text.slice(0, at),
    () => text.slice(at),
    () => text.toUpperCase(),
    () => text.repeat(1 + upTo(20, random)).slice(0, 5_000),
  ];
  return pick(moves, random)();
}
