import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A request that the API server refused, from its audit log. */
export interface RefusedRequest {
  readonly user: string;
  /** What the client calls itself. */
  readonly agent: string;
  /** `create`, `patch` … */
  readonly verb: string;
  /** With the query. */
  readonly path: string;
  readonly code: number;
  readonly message: string;
}

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata' }],
};

const logOf = (folder: string) => join(folder, 'audit.log');

/** Flags by which kube-apiserver notes every answer, in a folder. */
export async function auditFlags(folder: string): Promise<readonly string[]> {
  const file = join(folder, 'audit-policy.json');
  await writeFile(file, JSON.stringify(policy));
  return [`--audit-policy-file=${file}`, `--audit-log-path=${logOf(folder)}`];
}

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
}

/** Answers that say that a request was wrong or not allowed, whatever the state of the cluster. */
const refusals = new Set([400, 403, 405, 406, 413, 415, 422]);

/** What was refused so far. */
export async function refusedIn(folder: string): Promise<readonly RefusedRequest[]> {
  const lines = (await readFile(logOf(folder), 'utf8')).split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ responseStatus }) => refusals.has(responseStatus?.code ?? 0))
    .map(({ user, userAgent = '', verb, requestURI, responseStatus }) => ({
      user: user.username,
      agent: userAgent,
      verb,
      path: requestURI,
      code: responseStatus?.code ?? 0,
      message: responseStatus?.message ?? '',
    }));
}
