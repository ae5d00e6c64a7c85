/** A thread of `./cox test lives`: plays the seeds that it is told, one after the other. */
import { parentPort } from 'node:worker_threads';
import { lives } from '../operators/matrixone/src/scenario/test-fault-lives.ts';
import { type Course, differences, undisturbed } from '../operators/matrixone/src/scenario/test-fault-run.ts';
import { faultPlan, peace } from '../operators/matrixone/src/scenario/test-faults.ts';
import type { Played, Turn } from './lives.ts';

const courses = new Map<string, Promise<Course>>();

/** What there is to say against a life with what happens in it. */
async function problems({ kind, fate }: Turn): Promise<readonly string[]> {
  const life = lives.find((one) => one.kind === kind);
  if (!life) return [`no life of ${kind}`];
  try {
    const course = courses.get(kind) ?? undisturbed(life);
    courses.set(kind, course);
    const expected = await course;
    const plan = typeof fate === 'number' ? faultPlan(fate, expected.writes) : { ...peace, cuts: [fate] };
    return await differences(life, plan, expected);
  } catch (error) {
    return [String(error)];
  }
}

parentPort?.on('message', async (turn: Turn) => {
  const start = process.threadCpuUsage();
  const found = await problems(turn);
  const { user, system } = process.threadCpuUsage(start);
  parentPort?.postMessage({ problems: found, cpu: (user + system) / 1e6 } satisfies Played);
});
