import type { NonResourceRoute } from '../types.ts';

/** The Kubernetes version this server behaves like. */
export const emulatedVersion = '1.37.2';

const [major = '', minor = ''] = emulatedVersion.split('.');

/** Body of `/version`. Clients compare minors with it, and Helm templates read it. */
export const versionInfo = {
  major,
  minor,
  emulationMajor: major,
  emulationMinor: minor,
  minCompatibilityMajor: major,
  minCompatibilityMinor: String(Number(minor) - 1),
  gitVersion: `v${emulatedVersion}`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'coxswain',
  platform: 'linux/amd64',
} as const;

export const versionRoute: NonResourceRoute = {
  match: (path) => path === '/version' || path === '/version/',
  handle: () => ({ kind: 'object', code: 200, body: versionInfo, headers: { 'Content-Type': 'application/json' } }),
};
