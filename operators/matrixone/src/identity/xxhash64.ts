const MASK = 0xffff_ffff_ffff_ffffn;
const P1 = 0x9e37_79b1_85eb_ca87n;
const P2 = 0xc2b2_ae3d_27d4_eb4fn;
const P3 = 0x1656_67b1_9e37_79f9n;
const P4 = 0x85eb_ca77_c2b2_ae63n;
const P5 = 0x27d4_eb2f_1656_67c5n;

const rotate = (value: bigint, bits: bigint) => ((value << bits) | (value >> (64n - bits))) & MASK;
const round = (accumulator: bigint, input: bigint) => (rotate((accumulator + input * P2) & MASK, 31n) * P1) & MASK;
const mergeRound = (hash: bigint, lane: bigint) => ((hash ^ round(0n, lane)) * P1 + P4) & MASK;

function stripes(view: DataView): { hash: bigint; read: number } {
  const lanes: [bigint, bigint, bigint, bigint] = [(P1 + P2) & MASK, P2, 0n, (MASK + 1n - P1) & MASK];
  let at = 0;
  for (; at + 32 <= view.byteLength; at += 32) {
    lanes[0] = round(lanes[0], view.getBigUint64(at, true));
    lanes[1] = round(lanes[1], view.getBigUint64(at + 8, true));
    lanes[2] = round(lanes[2], view.getBigUint64(at + 16, true));
    lanes[3] = round(lanes[3], view.getBigUint64(at + 24, true));
  }
  const mixed = rotate(lanes[0], 1n) + rotate(lanes[1], 7n) + rotate(lanes[2], 12n) + rotate(lanes[3], 18n);
  return { hash: lanes.reduce(mergeRound, mixed & MASK), read: at };
}

function tail(hash: bigint, view: DataView, from: number): bigint {
  let at = from;
  let result = hash;
  for (; at + 8 <= view.byteLength; at += 8) {
    result = (rotate(result ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4) & MASK;
  }
  if (at + 4 <= view.byteLength) {
    result = (rotate(result ^ ((BigInt(view.getUint32(at, true)) * P1) & MASK), 23n) * P2 + P3) & MASK;
    at += 4;
  }
  for (; at < view.byteLength; at++) {
    result = (rotate(result ^ ((BigInt(view.getUint8(at)) * P5) & MASK), 11n) * P1) & MASK;
  }
  return result;
}

/** XXH64 with seed 0 of a text's UTF-8 bytes. */
export function xxHash64(text: string): bigint {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = bytes.length >= 32 ? stripes(view) : { hash: P5, read: 0 };
  let hash = tail((start.hash + BigInt(bytes.length)) & MASK, view, start.read);
  hash = ((hash ^ (hash >> 33n)) * P2) & MASK;
  hash = ((hash ^ (hash >> 29n)) * P3) & MASK;
  return hash ^ (hash >> 32n);
}

/** The first seven digits of the unpadded hexadecimal XXH64: the suffix of configuration keys and finalizers. */
export function shortDigest(text: string): string {
  return xxHash64(text).toString(16).slice(0, 7);
}
