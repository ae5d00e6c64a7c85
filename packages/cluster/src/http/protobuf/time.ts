import type { MessageCodec } from './codec.ts';
import { ProtobufError } from './errors.ts';
import { wire } from './reader.ts';

const seconds = 1 * 8 + wire.varint;
const nanos = 2 * 8 + wire.varint;

/** Go's zero time, which is no time. */
const zeroTime = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59Z');

/** `seconds` and `nanos` to text. An empty message is the zero time: `null` in JSON. */
function timeCodec(digits: 0 | 6): MessageCodec {
  return {
    write(writer, value) {
      const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
      if (Number.isNaN(at) || at === zeroTime) return;
      const fraction = digits === 0 ? '' : (/\.(\d+)/.exec(value as string)?.[1] ?? '');
      writer.int(Number(fraction.slice(0, 6).padEnd(6, '0')) * 1000);
      writer.uint(nanos);
      writer.int(Math.floor(at / 1000));
      writer.uint(seconds);
    },
    read(reader) {
      if (reader.done) return null;
      let whole = 0;
      let part = 0;
      while (!reader.done) {
        const tag = reader.tag();
        if (tag === seconds) whole = Number(reader.int64());
        else if (tag === nanos) part = reader.int32();
        else reader.skip(tag);
      }
      const at = whole * 1000;
      if (at < zeroTime || at > latest) throw new ProtobufError(`the time ${whole} is out of range`);
      const text = new Date(at).toISOString().slice(0, 19);
      if (digits === 0) return `${text}Z`;
      const micros = Math.min(Math.max(Math.trunc(part / 1000), 0), 999_999);
      return `${text}.${String(micros).padStart(6, '0')}Z`;
    },
  };
}

/** `metav1.Time`: whole seconds. */
export const time = timeCodec(0);
/** `metav1.MicroTime`: always six digits. */
export const microTime = timeCodec(6);
