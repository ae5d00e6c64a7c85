import { type Clock, type Logger, seededRandom, silentLogger } from '@coxswain/runtime/core';
import { startCluster } from '../start-cluster.ts';
import { corpus, type Sample } from './corpus.ts';
import { whyExpected } from './expected.ts';
import { garbage } from './garbage.ts';
import { mutate } from './mutate.ts';
import { sender } from './send.ts';

/** An answer that is none, or one that the real server does not give. */
export interface Finding {
  /** Of the input, from 0; with the seed it tells the input. */
  readonly index: number;
  readonly sample: Sample;
  readonly status: number;
  readonly text: string;
}

export interface FuzzOptions {
  readonly inputs: number;
  readonly seed: number;
  readonly clock: Clock;
  readonly log?: Logger;
  /** Called after each round of inputs, with all of them done and the server gone. */
  onRound?(done: number): void;
}

export interface FuzzResult {
  /** How many answers had which status. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly findings: readonly Finding[];
}

/** Inputs to one server: what they leave behind (webhooks, policies, definitions) shall not answer all others. */
const roundSize = 2_000;
const sockets = 8;

const alive: Sample = { method: 'GET', path: '/version' };

/**
 * Sends inputs made of the corpus to a server of our own, and a tenth as many connections full of garbage beside them. Each round has a
 * fresh one, and randomness of its own.
 */
export async function fuzz({ inputs, seed, clock, log = silentLogger, onRound }: FuzzOptions): Promise<FuzzResult> {
  const samples = corpus();
  const statuses = new Map<number, number>();
  const findings: Finding[] = [];
  for (let first = 0; first < inputs; first += roundSize) {
    const random = seededRandom(seed + first);
    const round = Array.from({ length: Math.min(roundSize, inputs - first) }, (_, offset) => ({
      index: first + offset,
      sample: mutate(samples, random),
    }));
    await using cluster = await startCluster({ port: 0, controlPlane: false, clock, log, random: seededRandom(seed) });
    const { send, throw: throwAt, close } = await sender(cluster.kubeconfig(), clock, sockets);
    // An answer to HEAD does not say what is wrong.
    const told = async (sample: Sample) => {
      const reply = await send(sample);
      return sample.method === 'HEAD' && reply.status >= 500 ? send({ ...sample, method: 'GET' }) : reply;
    };
    const worker = async () => {
      for (let next = round.pop(); next; next = round.pop()) {
        const { status, text } = await told(next.sample);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 0 || (status >= 500 && !whyExpected(text))) findings.push({ ...next, status, text });
      }
    };
    const connections = Array.from({ length: round.length / 10 }, () => garbage(samples, random));
    const thrower = async () => {
      for (let next = connections.pop(); next; next = connections.pop()) await throwAt(next);
    };
    await Promise.all([...Array.from({ length: sockets }, worker), thrower()]);
    const last = await send(alive);
    if (last.status !== 200) findings.push({ index: first, sample: alive, ...last });
    close();
    await cluster.stop();
    onRound?.(first + roundSize);
  }
  return { statuses, findings };
}
