import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { readLog } from '../../read-log.ts';
import type { AnyContainer, ContainerExit } from '../../runtime.ts';
import type { LogFile } from '../logs/log-file.ts';
import type { ProcessEnd } from './launch.ts';

/** Of a termination message: bytes of the file; bytes and lines of the log. */
const longest = { file: 4096, log: 2048, lines: 80 };

async function endOfLog(log: LogFile): Promise<string> {
  const parts: Uint8Array[] = [];
  const options = { follow: false, previous: false, timestamps: false, tailLines: longest.lines };
  for await (const bytes of readLog(log, options, new AbortController().signal)) parts.push(bytes);
  return Buffer.concat(parts).subarray(-longest.log).toString('utf8');
}

/** What a program has left to say: in its file, else, when it failed and the container wants it so, the end of its log. */
export async function terminationMessage(
  container: AnyContainer,
  file: string | undefined,
  log: LogFile,
  failed: boolean,
): Promise<string | undefined> {
  const bytes = file === undefined ? undefined : await readFile(file).catch(() => undefined);
  if (bytes && bytes.length > 0) return bytes.subarray(0, longest.file).toString('utf8');
  if (!failed || container.terminationMessagePolicy !== 'FallbackToLogsOnError') return undefined;
  return (await endOfLog(log)) || undefined;
}

/** How a program ended, as a container's status says it: by a signal is 128 and its number. */
export function exitOf({ code, signal }: ProcessEnd, at: number): Pick<ContainerExit, 'exitCode' | 'signal' | 'at'> {
  if (signal === null) return { exitCode: code ?? 255, at };
  const number = constants.signals[signal];
  return { exitCode: 128 + number, signal: number, at };
}
