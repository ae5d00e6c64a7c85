import {
  checkFunction,
  checkNumber,
  checkOptions,
  milliseconds,
  optionNames,
  someMilliseconds,
} from '../core/index.ts';
import type { ManagerOptions, Runnable } from './types.ts';

type Election = NonNullable<ManagerOptions['election']>;

const names = optionNames<ManagerOptions>({
  client: true,
  name: true,
  clock: true,
  random: true,
  log: true,
  namespace: true,
  election: true,
  shutdownTimeout: true,
  blockWarning: true,
  metrics: true,
  tracer: true,
  onLost: true,
});
const electionNames = optionNames<Election>({ namespace: true, lease: true, identity: true });

/** @throws TypeError for an option that nobody reads or one that is missing, RangeError for a value that makes no sense */
export function checkManagerOptions(options: ManagerOptions): void {
  const what = 'createManager';
  checkOptions(what, options ?? null, names);
  const { client, name, election, shutdownTimeout, blockWarning, onLost } = options;
  if (typeof client?.of !== 'function') throw new TypeError(`${what}: give a "client", as createClient makes it`);
  if (typeof name !== 'string' || name.trim() === '')
    throw new TypeError(`${what}: give a "name"; events, field managers and the identity carry it`);
  checkNumber(what, 'shutdownTimeout', shutdownTimeout, milliseconds);
  if (blockWarning !== false) checkNumber(what, 'blockWarning', blockWarning, someMilliseconds);
  checkFunction(what, 'onLost', onLost);
  if (election !== undefined) checkElection(election);
}

/** Names that the server would refuse would leave every replica a standby for ever. */
function checkElection(election: Election): void {
  checkOptions('election of createManager', election, electionNames);
  const { namespace, lease, identity } = election;
  for (const [name, text] of Object.entries({ namespace, lease })) {
    if (typeof text !== 'string' || text.length > 253 || !dnsName.test(text))
      throw new RangeError(
        `election of createManager: "${name}" is ${JSON.stringify(text)}; give a name of lower-case letters, digits, "-" and "."`,
      );
  }
  if (identity !== undefined && (typeof identity !== 'string' || identity === ''))
    throw new RangeError(
      'election of createManager: "identity" is empty or no text; leave it out, or give each replica one',
    );
}

const dnsName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** @throws TypeError for what has no life that a manager could start */
export function checkRunnable(runnable: Runnable): void {
  const { name, start, stop } = (runnable ?? {}) as Partial<Runnable>;
  if (typeof name !== 'string' || typeof start !== 'function')
    throw new TypeError('Manager.add: a runnable has a "name" and a "start" function');
  checkFunction(`runnable ${name}`, 'stop', stop);
}
