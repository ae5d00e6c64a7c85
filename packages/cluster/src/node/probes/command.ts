import { Writable } from 'node:stream';
import { expand } from '../environment/index.ts';
import type { AnyContainer } from '../runtime.ts';
import type { ProbeTarget } from './target.ts';

/** Bytes of output that are kept. */
const outputLimit = 10_240;

/** Keeps the beginning of what is written to it. */
class Head extends Writable {
  readonly #parts: Buffer[] = [];
  #size = 0;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const part = chunk.subarray(0, outputLimit - this.#size);
    this.#parts.push(part);
    this.#size += part.length;
    done();
  }

  get text(): string {
    return Buffer.concat(this.#parts).toString();
  }
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the container to its end, or until `signal` is aborted. */
export async function runCommand(
  { exec }: ProbeTarget,
  command: readonly string[],
  signal: AbortSignal,
): Promise<CommandResult> {
  const [stdout, stderr] = [new Head(), new Head()];
  const exitCode = await exec(command, false, { stdout, stderr, signal });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** Commands of probes may name variables whose values are written in the container itself. */
export function probeCommand(command: readonly string[] | undefined, container: AnyContainer): readonly string[] {
  const values = new Map((container.env ?? []).map(({ name, value = '' }) => [name, value]));
  return (command ?? []).map((word) => expand(word, (name) => values.get(name)));
}

/** Both outputs, as much as is kept. */
export function outputOf({ stdout, stderr }: CommandResult): string {
  return Buffer.from(stdout + stderr)
    .subarray(0, outputLimit)
    .toString();
}
