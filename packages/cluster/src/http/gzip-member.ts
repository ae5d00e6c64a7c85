import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Method deflate, no name, no time, fastest, system unknown. */
const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff]);
/** A last block without data. */
const lastBlock = Buffer.from([3, 0]);

let packed: { readonly parts: readonly Buffer[]; readonly member: Buffer } | undefined;

/**
 * Parts as one whole member of a gzip stream. The data is flushed before the member ends: readers that go on to the next member before they
 * hand out the end of this one (Go's) have all of it by then. Watchers that are sent the same parts one after the other share the work.
 */
export function gzipMember(parts: readonly Buffer[]): Buffer {
  if (packed && packed.parts.length === parts.length && packed.parts.every((part, i) => part === parts[i])) {
    return packed.member;
  }
  const bytes = Buffer.concat(parts);
  const data = deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(bytes), 0);
  tail.writeUInt32LE(bytes.length >>> 0, 4);
  const member = Buffer.concat([head, data, lastBlock, tail]);
  packed = { parts, member };
  return member;
}
