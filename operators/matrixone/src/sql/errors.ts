/** A statement, or the connection for it, failed. Its message has none of the values of a statement, nor a password. */
export class SqlError extends Error {
  /** `host:port` of the server. */
  readonly address: string;
  /** MySQL's number of the error, such as 1045 for a wrong password; absent when no server answered. */
  readonly code?: number;

  constructor(address: string, why: string, code?: number) {
    super(`SQL at ${address}: ${why}${code === undefined ? '' : ` (${code})`}`);
    this.name = 'SqlError';
    this.address = address;
    if (code !== undefined) this.code = code;
  }
}
