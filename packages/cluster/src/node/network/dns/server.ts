import type { Socket as UdpSocket } from 'node:dgram';
import type { Server, Socket } from 'node:net';
import type { Logger, Random } from '@coxswain/runtime/core';
import type * as DnsPacket from 'dns-packet';
import type { Place } from '../place.ts';
import { nothing, type Resolved, rcodes, reply, resolve } from './answer.ts';
import type { ClusterNames } from './names.ts';
import { framed, messagesOf } from './tcp-messages.ts';
import type { Forward } from './upstream.ts';

export interface DnsServerOptions {
  readonly place: Place;
  readonly address: string;
  readonly port: number;
  readonly names: ClusterNames;
  readonly forward: Forward;
  readonly random: Random;
  readonly log: Logger;
}

type Packets = Pick<typeof DnsPacket, 'encode' | 'decode' | 'RECURSION_DESIRED'>;

/** Bytes of an answer over UDP, when the client does not say what it takes, and at most. */
const sizes = { plain: 512, most: 1_232 };
/** Milliseconds without a question after which a connection is closed. */
const idle = 10_000;
const truncated = 0x200;

/** A name server for pods: answers for the cluster's own names, and asks others for all else. Over UDP and TCP. */
export class DnsServer {
  readonly #options: DnsServerOptions;
  readonly #sockets = new Set<Socket>();
  #packets: Packets | undefined;
  #udp: UdpSocket | undefined;
  #tcp: Server | undefined;

  constructor(options: DnsServerOptions) {
    this.#options = options;
  }

  /** Rejects with the system's error when the port cannot be had. */
  async open(): Promise<void> {
    const { place, address, port } = this.#options;
    this.#packets = (await import('dns-packet')).default;
    const udp = await place.bind(address, port);
    this.#udp = udp;
    udp
      .on('error', () => {})
      .on('message', (message, from) => {
        void this.#answer(message, false).then((answer) => {
          if (answer && this.#udp) udp.send(answer, from.port, from.address, () => {});
        });
      });
    try {
      this.#tcp = await place.listen(address, port);
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#tcp.on('error', () => {}).on('connection', (socket: Socket) => void this.#converse(socket));
  }

  async close(): Promise<void> {
    this.#udp?.close();
    this.#udp = undefined;
    for (const socket of this.#sockets) socket.destroy();
    const tcp = this.#tcp;
    this.#tcp = undefined;
    if (tcp?.listening) await new Promise<void>((done) => tcp.close(() => done()));
  }

  async #converse(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.setTimeout(idle, () => socket.destroy());
    try {
      for await (const message of messagesOf(socket)) {
        const answer = await this.#answer(message, true);
        if (!answer) break;
        if (!socket.write(framed(answer)))
          await new Promise((drained) => socket.once('drain', drained).once('close', drained));
      }
    } catch {
      // The client has left.
    } finally {
      socket.destroy();
    }
  }

  /** `undefined` for what needs no answer. */
  async #answer(message: Buffer, overTcp: boolean): Promise<Uint8Array | undefined> {
    const packets = this.#packets;
    // Too short for a header, or an answer itself: to answer it could go on forever.
    if (!packets || message.length < 12 || ((message[2] ?? 0) & 0x80) !== 0) return undefined;
    let query: DnsPacket.DecodedPacket;
    try {
      query = packets.decode(message);
    } catch {
      const id = message.readUInt16BE(0);
      return packets.encode({ type: 'response', id, flags: rcodes.malformed, questions: [] });
    }
    try {
      const limit = overTcp ? 65_535 : udpLimit(query);
      const resolved = await this.#resolve(query, message, overTcp);
      if (resolved instanceof Uint8Array) return resolved;
      const answer = packets.encode(reply(query, resolved));
      if (answer.length <= limit) return answer;
      const short = reply(query, nothing(resolved.rcode));
      return packets.encode({ ...short, flags: (short.flags ?? 0) | truncated });
    } catch (error) {
      this.#options.log.warn({ error: String(error) }, 'a question for a name was not answered');
      return packets.encode(reply(query, nothing(rcodes.failed)));
    }
  }

  async #resolve(query: DnsPacket.DecodedPacket, message: Buffer, overTcp: boolean): Promise<Resolved | Uint8Array> {
    const { names, random, forward } = this.#options;
    const [question, ...more] = query.questions ?? [];
    if (((message[2] ?? 0) & 0x78) !== 0) return nothing(rcodes.notImplemented);
    if (!question || more.length > 0) return nothing(rcodes.malformed);
    if (question.class !== 'IN' && question.class !== 'ANY') return nothing(rcodes.refused);
    const resolved = resolve(question, names, random);
    if (resolved.elsewhere === undefined) return resolved;
    try {
      if (resolved.answers.length === 0) return await forward(message, overTcp);
      return await this.#follow(resolved, resolved.elsewhere, question, overTcp);
    } catch {
      return { ...resolved, rcode: rcodes.failed };
    }
  }

  /** A name of the cluster that leads to one elsewhere. */
  async #follow(resolved: Resolved, name: string, { type }: DnsPacket.Question, overTcp: boolean): Promise<Resolved> {
    const packets = this.#packets;
    if (!packets) return resolved;
    const id = Math.floor(this.#options.random.next() * 65_536);
    const query = packets.encode({ type: 'query', id, flags: packets.RECURSION_DESIRED, questions: [{ type, name }] });
    const answer = packets.decode(Buffer.from(await this.#options.forward(query, overTcp)));
    const rcode = (answer.flags ?? 0) & 0xf;
    return { ...resolved, rcode, answers: [...resolved.answers, ...(answer.answers ?? [])] };
  }
}

function udpLimit({ additionals = [] }: DnsPacket.DecodedPacket): number {
  const opt = additionals.find(({ type }) => type === 'OPT') as DnsPacket.OptAnswer | undefined;
  return Math.min(Math.max(opt?.udpPayloadSize ?? sizes.plain, sizes.plain), sizes.most);
}
