import { checkOptions, optionNames } from '@coxswain/runtime/core';
import type { TestClusterOptions } from './types.ts';

/** Which API server a test runs on. */
export type Server = 'embedded' | 'real';

/** Environment variable that holds the path of a file describing a real control plane that runs already. */
export const sharedControlPlaneFile = 'COX_CONTROL_PLANE';

/** Admission plug-ins that are on in worlds although a plain Kubernetes leaves them off: what passes here passes on stricter clusters too. */
export const strictAdmission = ['OwnerReferencesPermissionEnforcement'] as const;

/** What `COX_SERVER` says. @throws Error when it says neither `embedded` nor `real` */
export function serverFromEnv(env: NodeJS.ProcessEnv = process.env): Server {
  const said = env['COX_SERVER'] ?? 'embedded';
  return checked('COX_SERVER', said);
}

const known = optionNames<TestClusterOptions>({
  server: true,
  clock: true,
  random: true,
  log: true,
  http: true,
  controlPlane: true,
  kruise: true,
});

/** @throws TypeError for what nobody reads, Error for a server that there is not */
export function checkTestClusterOptions(options: TestClusterOptions): void {
  checkOptions('startTestCluster', options, known);
  if (options.server !== undefined) checked('startTestCluster: `server`', options.server);
}

function checked(what: string, server: string): Server {
  if (server !== 'embedded' && server !== 'real') {
    throw new Error(`${what} is "${server}"; it must be "embedded" or "real"`);
  }
  return server;
}
