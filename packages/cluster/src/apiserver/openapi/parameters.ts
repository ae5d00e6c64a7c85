/** A parameter of an operation. All values are single. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
}

/** Query parameters that are not text. */
const types: Readonly<Record<string, Parameter['type']>> = {
  allowWatchBookmarks: 'boolean',
  follow: 'boolean',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  ignoreStoreReadErrorWithClusterBreakingPotential: 'boolean',
  insecureSkipTLSVerifyBackend: 'boolean',
  limit: 'integer',
  limitBytes: 'integer',
  orphanDependents: 'boolean',
  ports: 'integer',
  previous: 'boolean',
  sendInitialEvents: 'boolean',
  sinceSeconds: 'integer',
  stderr: 'boolean',
  stdin: 'boolean',
  stdout: 'boolean',
  tailLines: 'integer',
  timeoutSeconds: 'integer',
  timestamps: 'boolean',
  tty: 'boolean',
  watch: 'boolean',
};

export const query = (...names: readonly string[]): readonly Parameter[] =>
  names.map((name) => ({ name, in: 'query', type: types[name] ?? 'string' }));

export const inPath = (...names: readonly string[]): readonly Parameter[] =>
  names.map((name) => ({ name, in: 'path', type: 'string' }));

const selection = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'shardSelector',
  'timeoutSeconds',
];
const deletion = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const writing = ['dryRun', 'fieldManager', 'fieldValidation'];

/** What each kind of request may say beside its path. */
export const queries = {
  list: query('allowWatchBookmarks', ...selection, 'watch'),
  write: query(...writing),
  patch: query(...writing, 'force'),
  delete: query(...deletion),
  deleteMany: query(...selection, ...deletion),
  version: query('resourceVersion'),
  pretty: query('pretty'),
} as const;

/** By name, and of one name those of the path first. */
export function sorted(parameters: readonly Parameter[]): readonly Parameter[] {
  const key = ({ name, in: where }: Parameter) => `${name}\0${where}`;
  return [...parameters].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

export const sameParameter = (a: Parameter, b: Parameter): boolean => a.name === b.name && a.in === b.in;
