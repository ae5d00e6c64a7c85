import type { Random } from '@coxswain/runtime/core';
import type { Answer, DecodedPacket, Packet, Question } from 'dns-packet';
import { type ClusterNames, type DnsRecord, zone } from './names.ts';

/** Seconds for which an answer may be kept, those that there is nothing too. */
const ttl = 5;
/** Names that lead to names, one after the other. */
const longestChain = 8;

const flags = { authoritative: 0x400, recursionDesired: 0x100, recursionAvailable: 0x80 };
export const rcodes = { good: 0, malformed: 1, failed: 2, missing: 3, notImplemented: 4, refused: 5 };

const soa: Answer = {
  type: 'SOA',
  name: zone,
  ttl,
  data: {
    mname: `ns.dns.${zone}`,
    rname: `hostmaster.${zone}`,
    serial: 1,
    refresh: 7_200,
    retry: 1_800,
    expire: 86_400,
    minimum: ttl,
  },
};

function toAnswer(record: DnsRecord, name: string): Answer {
  const { type } = record;
  if (type === 'A') return { type, name, ttl, data: record.address };
  if (type === 'SRV') {
    return { type, name, ttl, data: { priority: 0, weight: 100, port: record.port, target: record.target } };
  }
  return type === 'TXT' ? { type, name, ttl, data: record.text } : { type, name, ttl, data: record.target };
}

/** What is answered to a question; `elsewhere`: the name that others have to be asked for, after what was found on the way. */
export interface Resolved {
  readonly rcode: number;
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
  readonly additionals: readonly Answer[];
  readonly elsewhere?: string;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1));
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}

/** The addresses of what an answer points to. */
function addressesOf(answers: readonly Answer[], names: ClusterNames): Answer[] {
  const targets = new Set(answers.flatMap((answer) => (answer.type === 'SRV' ? [answer.data.target] : [])));
  return [...targets].flatMap((target) => {
    const found = names.find(target.toLowerCase());
    const records = found.kind === 'records' ? found.records : [];
    return records.filter(({ type }) => type === 'A').map((record) => toAnswer(record, target));
  });
}

function ofZone(type: string): Answer[] {
  if (type === 'SOA') return [soa];
  return type === 'NS' ? [{ type, name: zone, ttl, data: `kube-dns.kube-system.svc.${zone}` }] : [];
}

/** Answers a question from the names of the cluster, as far as they go. */
export function resolve({ name, type }: Question, names: ClusterNames, random: Random): Resolved {
  const answers: Answer[] = [];
  const result = (rcode: number, elsewhere?: string): Resolved => ({
    rcode,
    answers,
    authorities: answers.length === 0 && elsewhere === undefined ? [soa] : [],
    additionals: addressesOf(answers, names),
    ...(elsewhere === undefined ? {} : { elsewhere }),
  });
  let current = name;
  for (let i = 0; i < longestChain; i++) {
    const plain = current.toLowerCase();
    const found = names.find(plain);
    if (found.kind === 'elsewhere') return result(rcodes.good, current);
    if (found.kind === 'missing') return result(rcodes.missing);
    if (plain === zone) answers.push(...ofZone(type));
    const own = found.records.filter((record) => record.type === type);
    for (const record of shuffled(own, random)) answers.push(toAnswer(record, current));
    const alias = own.length === 0 ? found.records.find((record) => record.type === 'CNAME') : undefined;
    if (!alias) return result(rcodes.good);
    answers.push(toAnswer(alias, current));
    current = alias.target;
  }
  return result(rcodes.failed);
}

/** The packet that answers `query`. */
export function reply(query: DecodedPacket, resolved: Resolved): Packet {
  const desired = (query.flags ?? 0) & flags.recursionDesired;
  const edns = query.additionals?.some(({ type }) => type === 'OPT');
  const opt = { type: 'OPT', name: '.', udpPayloadSize: 1232, flags: 0, options: [] } as unknown as Answer;
  return {
    type: 'response',
    ...(query.id === undefined ? {} : { id: query.id }),
    flags: flags.authoritative | flags.recursionAvailable | desired | resolved.rcode,
    questions: query.questions ?? [],
    answers: [...resolved.answers],
    authorities: [...resolved.authorities],
    additionals: [...resolved.additionals, ...(edns ? [opt] : [])],
  };
}

export const nothing = (rcode: number): Resolved => ({ rcode, answers: [], authorities: [], additionals: [] });
