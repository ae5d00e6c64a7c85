import type { SqlCredential } from './credential.ts';

/** Whom statements are for, and in whose name. */
export interface SqlTarget {
  readonly host: string;
  readonly port: number;
  readonly credential: SqlCredential;
}

/** A statement; each `?` in it stands for one of the values, which are never part of its text. */
export interface SqlStatement {
  readonly text: string;
  readonly values?: readonly (string | number | null)[];
}

/** A row by column. Numbers that are not exact in JavaScript, and times, are texts. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs statements. */
export interface SqlService {
  /**
   * Runs statements one after the other over a connection of their own; the first that fails ends it, and what ran before it stays.
   * @returns for each statement its rows, none for those that answer none
   * @throws SqlError; the signal's reason when it is aborted
   */
  run(
    target: SqlTarget,
    statements: readonly SqlStatement[],
    signal: AbortSignal,
  ): Promise<readonly (readonly SqlRow[])[]>;
}
