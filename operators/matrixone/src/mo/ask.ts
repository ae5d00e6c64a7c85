import type { CallOptions, CallPlace, MorpcClient } from '../morpc/index.ts';
import { CallError, WireError } from '../morpc/index.ts';
import { MatrixOneError } from './errors.ts';
import {
  type LogMethod,
  type LogServiceRequest,
  type LogServiceResponse,
  logMethods,
  logService,
} from './messages/log-service.ts';
import { ErrorMessage } from './messages/stores.ts';

/**
 * One question to one log store.
 * @throws CallError without an answer; MatrixOneError when it is an error
 */
export async function askLogService(
  client: MorpcClient,
  address: string,
  name: LogMethod,
  request: LogServiceRequest,
  options?: CallOptions,
): Promise<LogServiceResponse> {
  const method = logMethods[name];
  const answer = await client.call(logService, address, name, { ...request, method }, options);
  if (answer.errorCode !== 0)
    throw new MatrixOneError({ address, method: name }, answer.errorCode, answer.errorMessage);
  return answer;
}

/** The answer of a service that sends errors as bytes within it. */
interface Answer {
  readonly method: number;
  readonly error: Uint8Array;
}

/**
 * The part of an answer that belongs to the method. An answer with an error, of another method, or without the part is none: it must
 * never be taken for "nothing".
 * @throws MatrixOneError, CallError
 */
export function partOf<A extends Answer, P>(place: CallPlace, method: number, answer: A, part: P | undefined): P {
  const unusable = (why: string, cause?: unknown) => new CallError(place, 'malformed', why, true, { cause });
  if (answer.error.length > 0) {
    const { code, message } = readError(answer.error, unusable);
    throw new MatrixOneError(place, code, message);
  }
  if (answer.method !== method) throw unusable(`method ${method} was answered as method ${answer.method}`);
  if (part === undefined) throw unusable('the answer has nothing in it');
  return part;
}

function readError(bytes: Uint8Array, unusable: (why: string, cause: unknown) => Error) {
  try {
    return ErrorMessage.decode(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw unusable(`the answer is an error that cannot be read: ${error.message}`, error);
  }
}
