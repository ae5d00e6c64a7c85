/** A thread of `./cox test lives`: plays the seeds that it is told, one after the other. */
import { parentPort } from 'node:worker_threads';
import { lives } from '../operators/matrixone/src/scenario/test-fault-lives.ts';
import { type Course, differences, undisturbed } from '../operators/matrixone/src/scenario/test-fault-run.ts';
import type { Played, Turn } from './lives.ts';

const courses = new Map<string, Promise<Course>>();

/** What there is to say against a life under the faults of a seed. */
async function problems({ kind, seed }: Turn): Promise<readonly string[]> {
  const life = lives.find((one) => one.kind === kind);
  if (!life) return [`no life of ${kind}`];
  try {
    const course = courses.get(kind) ?? undisturbed(life);
    courses.set(kind, course);
    return await differences(life, seed, await course);
  } catch (error) {
    return [String(error)];
  }
}

parentPort?.on('message', async (turn: Turn) => {
  const start = process.threadCpuUsage();
  const found = await problems(turn);
  const { user, system } = process.threadCpuUsage(start);
  parentPort?.postMessage({ ...turn, problems: found, cpu: (user + system) / 1e6 } satisfies Played);
});
