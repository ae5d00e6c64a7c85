import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { abortable, type Clock, sleep } from '@coxswain/runtime/core';
import type { CommandStreams } from '../../../apiserver/index.ts';

/** Somebody who gets what a program writes from now on. */
export type Listener = Pick<CommandStreams, 'stdout' | 'stderr' | 'signal'>;

/** Writes and waits until more may be written; not for somebody who is gone. */
export async function writeTo(target: Writable | undefined, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  if (!target || target.destroyed || target.writableEnded || signal.aborted) return;
  if (target.write(bytes)) return;
  const gone = new AbortController();
  const end = () => gone.abort();
  target.once('close', end);
  try {
    await once(target, 'drain', { signal: AbortSignal.any([signal, gone.signal]) });
  } catch {
    // whoever is gone takes nothing any more
  } finally {
    target.off('close', end);
  }
}

/** Milliseconds that what a program leaves behind may keep its output open after its end. */
const lingering = 500;

/**
 * Hands on what comes from a program until it ends. No more is read than is taken. What still holds the output open when the program has
 * ended is waited for only while something comes.
 */
export async function pump(
  source: Readable,
  ended: Promise<unknown>,
  clock: Clock,
  take: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  let parts = 0;
  let busy = false;
  const finished = (async () => {
    for await (const bytes of source) {
      parts++;
      busy = true;
      await take(bytes as Buffer);
      busy = false;
    }
  })().catch(() => {});
  let over = false;
  void finished.then(() => {
    over = true;
  });
  await Promise.race([finished, ended]);
  while (!over) {
    const before = parts;
    await Promise.race([finished, sleep(clock, lingering)]);
    if (!over && parts === before && !busy) source.destroy();
  }
}

/** Passes on what a client types, until either side ends. @param last whether the end of the client's input is the program's, too */
export async function feed(input: Readable, program: Writable, signal: AbortSignal, last: boolean): Promise<void> {
  const read = async () => {
    for await (const bytes of input) {
      if (program.destroyed) return;
      await writeTo(program, bytes as Buffer, signal);
    }
  };
  await abortable(read(), signal).catch(() => {});
  if (last) program.end();
}
