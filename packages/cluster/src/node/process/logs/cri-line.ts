import { type LogLine, stamp } from '../../read-log.ts';

/** The longest piece of a line; longer ones are cut, and marked as to be continued. Bytes. */
export const longestPiece = 16 * 1024;

const newline = 0x0a;

/** A line as the container runtime interface has it: `TIME stdout|stderr F|P TEXT`; `P` when the line goes on in the next one. */
export function criLine(time: number, stream: LogLine['stream'], partial: boolean, text: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${stamp(time)} ${stream} ${partial ? 'P' : 'F'} `), text, Buffer.of(newline)]);
}

/** `undefined` for what is no such line. */
export function parseCriLine(line: string): LogLine | undefined {
  const match = /^(\S+) (stdout|stderr) ([PF]) (.*)$/s.exec(line);
  if (!match) return undefined;
  const [, when = '', stream, tag, text = ''] = match;
  const time = Date.parse(when);
  return { time, stream: stream === 'stderr' ? 'stderr' : 'stdout', text, ...(tag === 'P' ? { partial: true } : {}) };
}

/** Cuts what a program writes to one of its streams into lines. */
export class LineCutter {
  #rest: Buffer = Buffer.alloc(0);

  /** Lines and pieces that are complete with these bytes. */
  push(bytes: Buffer): { readonly text: Buffer; readonly partial: boolean }[] {
    const found: { text: Buffer; partial: boolean }[] = [];
    let data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const end = data.indexOf(newline);
      if (end >= 0 && end <= longestPiece) {
        found.push({ text: data.subarray(0, end), partial: false });
        data = data.subarray(end + 1);
      } else if (data.length > longestPiece) {
        found.push({ text: data.subarray(0, longestPiece), partial: true });
        data = data.subarray(longestPiece);
      } else break;
    }
    // A copy, so that a short rest does not keep a large chunk.
    this.#rest = Buffer.from(data);
    return found;
  }

  /** What was written without an end of line. */
  rest(): Buffer | undefined {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest.length === 0 ? undefined : rest;
  }
}
