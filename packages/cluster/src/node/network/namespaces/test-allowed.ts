import { spawnSync } from 'node:child_process';

/** Whether this user may make network namespaces on this machine. */
export const namespacesAllowed: boolean =
  spawnSync('unshare', process.getuid?.() === 0 ? ['-n', 'true'] : ['-Urn', 'true']).status === 0;

/** Why tests are skipped where it may not. */
export const whyNot = 'network namespaces take root, or user namespaces';
