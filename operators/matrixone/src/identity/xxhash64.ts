const MASK = 0xffff_ffff_ffff_ffffn;
const P1 = 0x9e37_79b1_85eb_ca87n;
const P2 = 0xc2b2_ae3d_27d4_eb4fn;
const P3 = 0x1656_67b1_9e37_79f9n;
const P4 = 0x85eb_ca77_c2b2_ae63n;
const P5 = 0x27d4_eb2f_1656_67c5n;

const rotate = (value: bigint, bits: bigint) => ((value << bits) | (value >> (64n - bits))) & MASK;
const round = (accumulator: bigint, input: bigint) => (rotate((accumulator + input * P2) & MASK, 31n) * P1) & MASK;
const mergeRound = (hash: bigint, lane: bigint) => ((hash ^ round(0n, lane)) * P1 + P4) & MASK;

/** `lanes[at]` and the one after it become the product of two numbers of 64 bits, each in its upper and lower half. */
function multiply(lanes: Uint32Array, at: number, aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  const a1 = aLow >>> 16;
  const a0 = aLow & 0xffff;
  const b1 = bLow >>> 16;
  const b0 = bLow & 0xffff;
  const outer = a0 * b1;
  const inner = a1 * b0;
  const low = a0 * b0;
  const middle = (low >>> 16) + (outer & 0xffff) + (inner & 0xffff);
  const carried = a1 * b1 + (outer >>> 16) + (inner >>> 16) + (middle >>> 16);
  lanes[at] = carried + Math.imul(aHigh, bLow) + Math.imul(aLow, bHigh);
  lanes[at + 1] = (middle << 16) | (low & 0xffff);
}

const halves = (value: bigint): readonly [number, number] => [Number(value >> 32n), Number(value & 0xffff_ffffn)];
const [P1_HIGH, P1_LOW] = halves(P1);
const [P2_HIGH, P2_LOW] = halves(P2);

/** `round` for one lane, without a `bigint`: these are made for every 8 bytes, and messages may have millions of them. */
function stir(lanes: Uint32Array, at: number, inputHigh: number, inputLow: number): void {
  const high = lanes[at] as number;
  const low = lanes[at + 1] as number;
  multiply(lanes, at, inputHigh, inputLow, P2_HIGH, P2_LOW);
  const sum = low + (lanes[at + 1] as number);
  const sumHigh = (high + (lanes[at] as number) + (sum > 0xffff_ffff ? 1 : 0)) | 0;
  multiply(lanes, at, (sumHigh << 31) | ((sum | 0) >>> 1), (sum << 31) | (sumHigh >>> 1), P1_HIGH, P1_LOW);
}

function stripes(view: DataView): { hash: bigint; read: number } {
  const lanes = new Uint32Array([(P1 + P2) & MASK, P2, 0n, (MASK + 1n - P1) & MASK].flatMap(halves));
  let at = 0;
  for (; at + 32 <= view.byteLength; at += 32) {
    for (let lane = 0; lane < 8; lane += 2) {
      stir(lanes, lane, view.getUint32(at + lane * 4 + 4, true), view.getUint32(at + lane * 4, true));
    }
  }
  const lane = (index: number) => (BigInt(lanes[index] as number) << 32n) | BigInt(lanes[index + 1] as number);
  const all = [lane(0), lane(2), lane(4), lane(6)];
  const turns = [1n, 7n, 12n, 18n];
  const mixed = all.reduce((sum, value, index) => sum + rotate(value, turns[index] as bigint), 0n);
  return { hash: all.reduce(mergeRound, mixed & MASK), read: at };
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

/** XXH64 with seed 0 of bytes, or of a text's UTF-8 bytes. */
export function xxHash64(data: string | Uint8Array): bigint {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
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
