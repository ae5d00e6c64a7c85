import type { Clock } from '@coxswain/runtime/core';
import { threads } from '../late-modules.ts';
import { type DecodedYaml, parseYaml, YamlError } from './yaml.ts';
import type { ThreadAnswer } from './yaml-thread.ts';

/** Characters from which on a text is read beside the event loop: the library takes some microseconds for each. */
const longText = 32 * 1024;
/** Milliseconds after which a text is given up: made to be slow, for nothing that people write takes so long. */
const patience = 15_000;
/** Threads at a time, and the memory of each in MiB. */
const most = 2;
const memory = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };

/** Texts that wait for a thread, across all servers of this process: what they share is its cores. */
const waiting: (() => void)[] = [];
let running = 0;

/**
 * {@link parseYaml}, without holding up the event loop.
 * @throws YamlError, also for a text that takes too long or too much memory
 */
export async function readYaml(text: string, clock: Clock): Promise<DecodedYaml> {
  if (text.length < longText) return parseYaml(text);
  if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    const answer = await readInThread(text, clock);
    if ('fault' in answer) throw new YamlError(answer.fault);
    return answer.value as DecodedYaml;
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

function readInThread(text: string, clock: Clock): Promise<ThreadAnswer> {
  return new Promise((resolve, reject) => {
    // No flags of this process: a thread does not take all of them.
    const options = { workerData: text, execArgv: [], resourceLimits: memory };
    const thread = new (threads().Worker)(new URL('./yaml-thread.ts', import.meta.url), options);
    const giveUp = (fault: string) => {
      resolve({ fault: `yaml: ${fault}` });
      void thread.terminate();
    };
    const timer = clock.after(patience, () => giveUp(`the text could not be read in ${patience / 1000} seconds`));
    thread.once('message', (answer: ThreadAnswer) => resolve(answer));
    thread.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') giveUp('the text takes too much memory to read');
      else reject(error);
    });
    thread.once('exit', (code) => {
      timer.cancel();
      reject(new Error(`the thread that reads a YAML text ended with ${code}`));
    });
  });
}
