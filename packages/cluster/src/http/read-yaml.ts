import { Worker } from 'node:worker_threads';
import { type DecodedYaml, parseYaml, YamlError } from './yaml.ts';
import type { ThreadAnswer } from './yaml-thread.ts';

/** Characters from which on a text is read beside the event loop: the library takes some microseconds for each. */
const longText = 32 * 1024;

/** {@link parseYaml}, without holding up the event loop. @throws YamlError */
export async function readYaml(text: string): Promise<DecodedYaml> {
  if (text.length < longText) return parseYaml(text);
  const answer = await readInThread(text);
  if ('fault' in answer) throw new YamlError(answer.fault);
  return answer.value as DecodedYaml;
}

function readInThread(text: string): Promise<ThreadAnswer> {
  return new Promise((resolve, reject) => {
    // No flags of this process: a thread does not take all of them.
    const thread = new Worker(new URL('./yaml-thread.ts', import.meta.url), { workerData: text, execArgv: [] });
    thread.once('message', (answer: ThreadAnswer) => resolve(answer));
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`the thread that reads a YAML text ended with ${code}`)));
  });
}
