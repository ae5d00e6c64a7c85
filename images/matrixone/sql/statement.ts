import type { Clock } from '@coxswain/runtime/core';
import type { ObjectStore, Place, S3Access } from '../storage/index.ts';
import type { Session, Sessions } from './session.ts';
import type { Users } from './users.ts';

/** What a statement comes to: nothing to show, or a table. */
export type Result =
  | undefined
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly (string | null)[])[] };

/** A compute node as SHOW BACKEND SERVERS has it. */
export interface Backend {
  readonly uuid: string;
  readonly address: string;
  readonly workState: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

/** What statements may use. */
export interface StatementContext {
  readonly clock: Clock;
  readonly version: string;
  readonly nodeId: string;
  readonly sessions: Sessions;
  readonly users: Users;
  /** Where the cluster's data is; none where no file service says so. */
  readonly storage?: ObjectStore;
  readonly openStore: (place: Place, access?: S3Access) => ObjectStore;
  /** Aborted when the session is over. */
  readonly signal: AbortSignal;
  readonly backends: () => Promise<readonly Backend[]>;
}

/** Carries out statements of a form. */
export type Run = (match: RegExpExecArray, session: Session, context: StatementContext) => Promise<Result> | Result;
