/** Arguments a service gets when its set names none. */
export interface DefaultServiceArgs {
  readonly logService: readonly string[];
  readonly dn: readonly string[];
  readonly cn: readonly string[];
  readonly proxy: readonly string[];
}

const debug = ['-debug-http=:6060'];

/** Those of the Helm chart. */
export const chartServiceArgs: DefaultServiceArgs = { logService: debug, dn: debug, cn: debug, proxy: debug };
