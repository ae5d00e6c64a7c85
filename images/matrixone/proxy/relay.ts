import { ByteReader } from '../wire/bytes.ts';
import { status } from '../wire/mysql.ts';
import type { PacketStream } from '../wire/packets.ts';

const first = { ok: 0, error: 0xff, end: 0xfe } as const;
/** An end packet is shorter than any row that begins with the same byte. */
const longestEnd = 9;
const isEnd = (packet: Buffer) => packet[0] === first.end && packet.length < longestEnd;

function okFlags(packet: Buffer): number {
  const reader = new ByteReader(packet.subarray(1));
  reader.length();
  reader.length();
  return reader.uint(2);
}

/**
 * Passes the answer to a command on, to its end.
 * @returns whether the session is within a transaction then; `undefined` when the answer does not say
 */
export async function relayAnswer(from: PacketStream, to: PacketStream): Promise<boolean | undefined> {
  const pass = async () => {
    const packet = await from.next();
    to.send(packet);
    return packet;
  };
  const head = await pass();
  if (head[0] === first.error) return undefined;
  if (head[0] === first.ok) return (okFlags(head) & status.inTransaction) !== 0;
  // The columns, then the rows; either ends with an end.
  for (let ends = 0; ; ) {
    const packet = await pass();
    if (packet[0] === first.error && ends === 1) return undefined;
    if (!isEnd(packet)) continue;
    ends++;
    if (ends === 2) return (packet.readUInt16LE(3) & status.inTransaction) !== 0;
  }
}
