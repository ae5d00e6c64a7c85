import type { Dispatcher } from 'undici';

/** An answer that has come whole. */
export interface Answer {
  readonly statusCode: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** What decides whether a call is still sent when its turn has come. */
export interface Sender {
  readonly signal?: AbortSignal;
  /** Throws when it must not be sent any more. */
  readonly gate?: () => void;
}

/** The gate held a call back: what it threw is the cause. */
export class HeldBack extends Error {}

/**
 * Makes one call and gathers its answer. There is no stream between the connection and the buffer: that would cost a third of the call.
 * A call that is aborted, or whose gate closes, while it waits for a connection is not sent. @throws HeldBack
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, gate }: Sender,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const chunks: Buffer[] = [];
    let head: Pick<Answer, 'statusCode' | 'headers'> = { statusCode: 0, headers: {} };
    let abort: ((reason: Error) => void) | undefined;
    const onAbort = () => {
      abort?.(signal?.reason);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const done = () => signal?.removeEventListener('abort', onAbort);
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        // Thrown here, unlike an abort, it leaves the connection to the next call.
        signal?.throwIfAborted();
        pass(gate);
        abort = (reason) => controller.abort(reason);
      },
      onResponseStart(_, statusCode, headers) {
        head = { statusCode, headers };
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        done();
        resolve({ ...head, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) });
      },
      onResponseError(_, error) {
        done();
        reject(error);
      },
    });
  });
}

function pass(gate: Sender['gate']): void {
  try {
    gate?.();
  } catch (cause) {
    throw new HeldBack('the gate was closed', { cause });
  }
}
