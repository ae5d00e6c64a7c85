/** The user's input cannot be used. The message says what, where and what to do; the process exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was asked for did not come true (in time). The process exits with 1. */
export class UnmetError extends Error {
  override readonly name = 'UnmetError';
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a system error (`ENOENT` …), if it is one. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'there is a file of this name',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EROFS: 'the file system is read-only',
};

/** Why the system refused a file or folder, in words. */
export function systemReason(error: unknown): string {
  return reasons[codeOf(error) ?? ''] ?? messageOf(error);
}
