import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WireError } from '../errors.ts';
import {
  bool,
  bytes,
  double,
  type Encodable,
  int32,
  int64,
  map,
  message,
  optional,
  plain,
  repeated,
  string,
  uint32,
  uint64,
} from './index.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const Inner = message({ name: plain(1, string), values: repeated(2, string) });
const All = message({
  id: plain(1, uint64),
  text: plain(2, string),
  small: plain(3, uint32),
  signed: plain(4, int32),
  long: plain(5, int64),
  ratio: plain(6, double),
  flag: plain(7, bool),
  raw: plain(8, bytes),
  inner: optional(9, Inner),
  list: repeated(10, Inner),
  byName: map(11, string, Inner),
  byId: map(300, uint64, string),
});

const text = fc.string({ unit: 'grapheme', maxLength: 6 });
const inner = fc.record({ name: text, values: fc.array(text, { maxLength: 3 }) });
const asMap = <K, V>(key: fc.Arbitrary<K>, value: fc.Arbitrary<V>) =>
  fc.array(fc.tuple(key, value), { maxLength: 3 }).map((entries) => new Map(entries));
const id = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const value: fc.Arbitrary<Encodable<typeof All>> = fc.record({
  id,
  text,
  small: fc.nat(0xffff_ffff),
  signed: fc.integer(),
  long: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  ratio: fc.double(),
  flag: fc.boolean(),
  raw: fc.uint8Array({ minLength: 1, maxLength: 6 }).map((raw) => Buffer.from(raw)),
  inner: fc.option(inner, { nil: undefined }),
  list: fc.array(inner, { maxLength: 3 }),
  byName: asMap(text, inner),
  byId: asMap(id, text),
});

/** Reads what a stranger sent; the only error may be ours. */
function readStrange(given: Uint8Array): void {
  try {
    All.decode(given);
  } catch (error) {
    expect(error).toBeInstanceOf(WireError);
  }
}

describe('any message', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(All.decode(All.encode(given))).toEqual(given);
      }),
    );
  });

  test('cut short, flipped or made of any bytes is refused or read, and nothing else', () => {
    fc.assert(
      fc.property(value, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (given, cut, at, by) => {
        const written = Buffer.from(All.encode(given));
        if (written.length === 0) return;
        readStrange(written.subarray(0, cut % written.length));
        written[at % written.length] = (written[at % written.length] ?? 0) ^ by;
        readStrange(written);
      }),
      { numRuns: 500 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), readStrange), { numRuns: 1000 });
  });
});

describe('reading', () => {
  test('what is absent is zero; nothing is written for it', () => {
    expect(All.decode(new Uint8Array(0))).toMatchObject({ id: 0n, text: '', flag: false, inner: undefined, list: [] });
    expect(All.encode({ id: 0n, text: '', list: [], byId: new Map() })).toHaveLength(0);
    expect(Buffer.from(All.encode({ inner: {} })).toString('hex')).toBe('4a00');
  });

  test('fields this version does not know are passed over, whatever their layout', () => {
    const unknown = hex('f806 96 01  f906 0102030405060708  fa06 02 6869  fd06 01020304  fb06 0801 fc06');
    expect(All.decode(Buffer.concat([unknown, hex('1003'.replace('10', '18'))]))).toMatchObject({ small: 3 });
  });

  test('parts of one message are put together, the last value of a field counts', () => {
    const parts = hex('4a 03 0a0161  4a 06 0a0162 120163  1801 1802');
    expect(All.decode(parts)).toMatchObject({ inner: { name: 'b', values: ['c'] }, small: 2 });
  });

  test('an entry of a map may lack key or value', () => {
    expect(All.decode(hex('5a 00')).byName).toEqual(new Map([['', { name: '', values: [] }]]));
  });

  test('a negative number takes ten bytes', () => {
    expect(Buffer.from(All.encode({ signed: -1 })).toString('hex')).toBe('20ffffffffffffffffff01');
    expect(All.decode(hex('20ffffffffffffffffff01')).signed).toBe(-1);
  });

  test('text that was cut within a character is still text', () => {
    expect(All.decode(hex('12 02 61c3')).text).toBe('a\ufffd');
  });

  test.each([
    ['0a 00', 'field 1 has layout 2 instead of 0'],
    ['12 05 61', 'end within a value'],
    ['12 ffffffffffffffff7f', 'end within a value'],
    ['08 ffffffffffffffffff02', 'more than 64 bits'],
    ['08 80', 'end within a value'],
    ['00', 'no tag'],
    ['0f', 'has layout 7'],
    ['0c', 'field 1 has layout 4'],
    ['4a 02 0a05', 'end within a value'],
    ['fb06'.repeat(50), 'groups are nested'],
  ])('%s is refused', (given, why) => {
    expect(() => All.decode(hex(given))).toThrow(why);
  });

  test('elements of two bytes do not fill the memory', () => {
    const bomb = Buffer.alloc(400_002);
    for (let at = 0; at < bomb.length; at += 2) bomb[at] = 0x52;
    expect(() => All.decode(bomb)).toThrow('more than 200000 elements');
  });
});

test.each([
  { small: -1 },
  { small: 2 ** 32 },
  { small: 0.5 },
  { signed: 2 ** 31 },
  { signed: Number.NaN },
  { id: -1n },
  { id: 2n ** 64n },
  { long: 2n ** 63n },
])('%o does not fit and is not written', (given) => {
  expect(() => All.encode(given)).toThrow(WireError);
});

test('two fields of one number make no message', () => {
  expect(() => message({ a: plain(1, bool), b: plain(1, bool) })).toThrow('same number');
});
