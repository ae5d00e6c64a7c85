import type { Transport, TransportRequest } from '@coxswain/runtime/client';
import { ApiError, type VirtualClock } from '@coxswain/runtime/core';
import type { FilledStep, RawAnswer, Stream, Target } from './types.ts';

/** Virtual milliseconds that a slow step may take. */
const slowLimit = 10_000;

/** The embedded server without a wire, in virtual time. */
export function inProcessTarget(transport: Transport, clock: VirtualClock): Target {
  const timed = async <T>(step: FilledStep, answer: Promise<T>): Promise<T> => {
    if (step.slow) await Promise.race([answer.catch(() => undefined), clock.advance(slowLimit)]);
    return answer;
  };
  return {
    async send(step) {
      try {
        const { status, body, warnings } = await timed(step, transport.send(requestOf(step)));
        return { status, body, warnings };
      } catch (error) {
        return refusal(error);
      }
    },
    async open(step) {
      try {
        const events = await timed(step, transport.watch(requestOf(step)));
        return { answer: { status: 200, body: '', warnings: [] }, stream: streamOf(events, clock) };
      } catch (error) {
        return { answer: refusal(error) };
      }
    },
  };
}

function requestOf(step: FilledStep): TransportRequest {
  const [path = '', query = ''] = step.path.split('?');
  return {
    method: step.method,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    userAgent: 'differential',
    ...(step.body === undefined ? {} : { body: step.body }),
    ...(step.contentType === undefined ? {} : { contentType: step.contentType }),
    ...(step.accept === undefined ? {} : { accept: step.accept }),
  };
}

function refusal(error: unknown): RawAnswer {
  if (!(error instanceof ApiError)) throw error;
  const { status } = error;
  // what was a text on the server's side has become a status that quotes it
  const said = status.details === undefined ? /^HTTP \d+: (.*)$/s.exec(status.message ?? '')?.[1] : undefined;
  return { status: error.code, body: said === undefined ? status : `${said}\n`, warnings: [] };
}

function streamOf(batches: AsyncIterable<readonly unknown[]>, clock: VirtualClock): Stream {
  const events: unknown[] = [];
  let ended = false;
  const reader = batches[Symbol.asyncIterator]();
  const read = async () => {
    for (let next = await reader.next(); !next.done; next = await reader.next()) events.push(...next.value);
    ended = true;
  };
  void read();
  return {
    async take(_count, toEnd) {
      await (toEnd ? clock.advance(slowLimit) : clock.settle());
      const taken = { events: [...events], ended };
      await reader.return?.();
      return taken;
    },
  };
}
