import type { Dispatcher } from 'undici';

/** An answer that has come whole. */
export interface Answer {
  readonly statusCode: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Makes one call and gathers its answer. There is no stream between the connection and the buffer: that would cost a third of the call.
 * A call that is aborted while it waits for a connection is not sent.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
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
        if (signal?.aborted) controller.abort(signal.reason);
        else abort = (reason) => controller.abort(reason);
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
