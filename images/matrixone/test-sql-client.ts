import { dialTcp } from '@coxswain/operator-matrixone/morpc';
import { ByteReader, nullLength } from './wire/bytes.ts';
import { decodeGreeting, encodeLogin, plugin, prove, SqlError } from './wire/mysql.ts';
import { PacketStream } from './wire/packets.ts';

/** A MySQL client, as far as tests need one. */
export class SqlClient {
  readonly packets: PacketStream;
  readonly version: string;
  readonly connectionId: number;

  private constructor(packets: PacketStream, version: string, connectionId: number) {
    this.packets = packets;
    this.version = version;
    this.connectionId = connectionId;
  }

  /** @throws SqlError when the login is refused */
  static async connect(address: string, user = 'root', password = '111', asPlugin = plugin): Promise<SqlClient> {
    const packets = new PacketStream(await dialTcp(address, AbortSignal.timeout(5000)));
    const { salt, version, connectionId } = decodeGreeting(await packets.next());
    const auth = prove(password, salt);
    const login = encodeLogin({ user, auth, db: '', plugin, attributes: new Map() });
    // As clients do that would rather prove themselves in another way.
    packets.send(
      asPlugin === plugin ? login : Buffer.from(login.toString('latin1').replace(plugin, asPlugin), 'latin1'),
    );
    let answer = await packets.next();
    if (answer[0] === 0xfe) {
      packets.send(auth);
      answer = await packets.next();
    }
    if (answer[0] === 0xff) throw errorOf(answer);
    return new SqlClient(packets, version, connectionId);
  }

  /** Rows of a statement, by column; none for one that has no table. */
  async query(text: string): Promise<readonly Readonly<Record<string, string | null>>[]> {
    this.packets.beginCommand();
    this.packets.send(Buffer.from(`\x03${text}`));
    const first = await this.packets.next();
    if (first[0] === 0xff) throw errorOf(first);
    if (first[0] === 0) return [];
    const names: string[] = [];
    for (let left = first[0] ?? 0; left > 0; left--) names.push(nameOf(await this.packets.next()));
    await this.packets.next();
    const rows: Record<string, string | null>[] = [];
    for (let packet = await this.packets.next(); packet[0] !== 0xfe; packet = await this.packets.next())
      rows.push(rowOf(names, packet));
    return rows;
  }

  async ping(): Promise<boolean> {
    this.packets.beginCommand();
    this.packets.send(Buffer.from([14]));
    return (await this.packets.next())[0] === 0;
  }

  quit(): void {
    this.packets.beginCommand();
    this.packets.send(Buffer.from([1]));
  }
}

function errorOf(packet: Buffer): SqlError {
  return new SqlError(packet.readUInt16LE(1), packet.toString('utf8', 9), packet.toString('latin1', 4, 9));
}

function nameOf(column: Buffer): string {
  const reader = new ByteReader(column);
  const texts = Array.from({ length: 5 }, () => reader.counted().toString());
  return texts[4] ?? '';
}

function rowOf(names: readonly string[], packet: Buffer): Record<string, string | null> {
  const values = new ByteReader(packet);
  const next = () => {
    const size = values.length();
    return size === nullLength ? null : values.take(size).toString();
  };
  return Object.fromEntries(names.map((name) => [name, next()]));
}
