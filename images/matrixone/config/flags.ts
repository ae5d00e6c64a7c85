/** What the command line asks for. */
export interface Flags {
  /** File of one service. */
  readonly cfg?: string;
  /** File that lists the services of a whole cluster in one process. */
  readonly launch?: string;
  readonly withProxy: boolean;
  readonly version: boolean;
}

/** The command line cannot be understood; the program ends with 2, as those written in Go do. */
export class FlagError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FlagError';
  }
}

const switches: readonly string[] = ['version', 'daemon', 'with-proxy'];
/** Flags with a value; of these only two mean something here, the others are taken and passed over. */
const valued: readonly string[] = [
  'cfg',
  'launch',
  'debug-http',
  'max-processor',
  'cpu-profile',
  'allocs-profile',
  'heap-profile',
  'profile-interval',
  'block-profile-rate',
  'mutex-profile-fraction',
];

/**
 * Reads flags as programs in Go do: one dash or two, the value behind `=` or as the next argument.
 * @throws FlagError for a flag that mo-service has not, or one without its value
 */
export function parseFlags(args: readonly string[]): Flags {
  const given = new Map<string, string>();
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const [, name = '', value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (switches.includes(name)) given.set(name, value ?? 'true');
    else if (!valued.includes(name)) throw new FlagError(`flag provided but not defined: ${arg}`);
    else {
      const text = value ?? args[++index];
      if (text === undefined) throw new FlagError(`flag needs an argument: -${name}`);
      given.set(name, text);
    }
  }
  const cfg = given.get('cfg');
  const launch = given.get('launch');
  return {
    version: given.get('version') === 'true',
    withProxy: given.get('with-proxy') === 'true',
    ...(cfg === undefined ? {} : { cfg }),
    ...(launch === undefined ? {} : { launch }),
  };
}
