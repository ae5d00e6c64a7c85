/** Arguments a service gets when its set names none. */
export interface DefaultServiceArgs {
  readonly logService: readonly string[];
  readonly dn: readonly string[];
  readonly cn: readonly string[];
  readonly proxy: readonly string[];
  /**
   * Whether nothing is filled in but what no set can do without: as upstream where its webhooks are off, so that pods of clusters which were made so
   * do not restart. Default false.
   */
  readonly bare?: boolean;
}

const debug = ['-debug-http=:6060'];

/** Those of the Helm chart. */
export const chartServiceArgs: DefaultServiceArgs = { logService: debug, dn: debug, cn: debug, proxy: debug };
