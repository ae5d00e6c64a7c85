import { isFields, messageOf, type ObjectKey } from '@coxswain/runtime/core';
import { PORT_BACKUP_STATUS } from '../api/index.ts';

/** What the container of a Job tells of its program. */
export interface JobReport {
  readonly completed: boolean;
  /** 0: it did what it was to do. Says nothing before it has ended. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Asks containers of Jobs. */
export interface JobReports {
  /** @throws Error when the container does not answer, or not with a report */
  read(job: ObjectKey, signal: AbortSignal): Promise<JobReport>;
}

/** Bytes of the longest answer that is read: what a program says in a day fits. */
const longestAnswer = 16 * 1024 * 1024;

/** @throws Error that says what is wrong */
export function decodeReport(text: string): JobReport {
  const value: unknown = parsed(text);
  if (!isFields(value)) throw new Error('the answer is no report: it is no JSON object');
  const { completed = false, exitCode = 0, stdout = '', stderr = '' } = value;
  if (typeof completed !== 'boolean') throw new Error('the answer is no report: "completed" is neither true nor false');
  if (typeof exitCode !== 'number') throw new Error('the answer is no report: "exitCode" is no number');
  if (typeof stdout !== 'string' || typeof stderr !== 'string')
    throw new Error('the answer is no report: "stdout" or "stderr" is no text');
  return { completed, exitCode, stdout, stderr };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the answer is no report: it is no JSON');
  }
}

/** Over HTTP, by the Job's service: `GET http://<name>.<namespace>:8080/status`. */
export const httpReports: JobReports = {
  read: ({ namespace, name }, signal) => readReport(`http://${name}.${namespace}:${PORT_BACKUP_STATUS}/status`, signal),
};

/** @throws Error that says why there is no report */
export async function readReport(url: string, signal: AbortSignal): Promise<JobReport> {
  const response = await fetch(url, { signal, redirect: 'error' }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error(`${url} cannot be reached: ${reasonOf(error)}`);
  });
  const text = await limitedText(response);
  if (!response.ok) throw new Error(`the answer of ${url} is HTTP ${response.status}`);
  return decodeReport(text);
}

/** `fetch` says only that it failed; why is in the cause. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause ? error.cause : error);
}

async function limitedText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > longestAnswer) throw new Error(`the answer is longer than ${longestAnswer} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
