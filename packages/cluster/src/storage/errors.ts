/** The data directory cannot be used, or can no longer be written. The message says what to do. */
export class DataDirError extends Error {
  /** The directory or file concerned. */
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DataDirError';
    this.path = path;
  }
}

/** `ENOSPC` and the like; `''` when the error has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The text of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
