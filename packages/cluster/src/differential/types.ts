import type { Method } from '@coxswain/runtime/client';

/**
 * One request of a scenario. Strings of `path` and `body` may hold `{name}` for what earlier steps saved, and `{ns}` for the
 * scenario's own namespace.
 */
export interface Step {
  readonly method: Method;
  /** With the query, percent-encoded. */
  readonly path: string;
  /** A JSON value; on top of `base` it is a merge patch. */
  readonly body?: unknown;
  /** The name of a saved value that the body starts from. */
  readonly base?: string;
  /** The body's bytes as they are, instead of `body`. Such a step needs a wire. */
  readonly raw?: string;
  /** Default: `application/json`. */
  readonly contentType?: string;
  readonly accept?: string;
  /** More headers. Such a step needs a wire. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names for parts of the answer's body, by dotted path (`metadata.uid`, `items.0.metadata.name`; '' is the whole). */
  readonly save?: Readonly<Record<string, string>>;
  /** Leaves the answer open, as a stream under this name, for a later {@link Collect}. */
  readonly stream?: string;
  /** The server takes seconds to answer, of which virtual time makes nothing. */
  readonly slow?: boolean;
  /** Only the verdict is kept: the status, and what is refused for which reasons. */
  readonly verdict?: boolean;
  /** What is special about the body, for whoever reads the report. */
  readonly note?: string;
}

/** Takes the events that came on a stream, and closes it. */
export interface Collect {
  readonly collect: string;
  /** How many are waited for. More may have come. */
  readonly events: number;
  /** Also waits until the server ends the stream. */
  readonly toEnd?: boolean;
}

export type Action = Step | Collect;

/** Requests that build upon each other, in a namespace of their own. */
export interface Scenario {
  readonly title: string;
  readonly steps: readonly Action[];
}

/** Scenarios on one subject; the name of their fixture file. */
export interface Area {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
  /** Starts what the scenarios need beside the server. */
  prepare?(target: Target): Promise<Prepared>;
}

/** A target with something beside it. */
export interface Prepared {
  readonly target: Target;
  close(): Promise<void>;
}

/** What came back, as it came. */
export interface RawAnswer {
  readonly status: number;
  /** Lower-case names. Absent when there was no wire. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  /** A JSON value, or the text of anything else. */
  readonly body: unknown;
}

/** What came back, without what differs from run to run. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
  readonly body: unknown;
}

/** A request with nothing left to fill in. */
export interface FilledStep extends Omit<Step, 'base' | 'save' | 'stream' | 'verdict' | 'note'> {}

/** Events of a watch, one JSON value each. */
export interface Stream {
  /** Answers what came: at least `events` of them unless a deadline passed or the server ended the stream. */
  take(events: number, toEnd: boolean): Promise<{ readonly events: readonly unknown[]; readonly ended: boolean }>;
}

/** A server under test. */
export interface Target {
  send(step: FilledStep): Promise<RawAnswer>;
  /** A refusal has no stream. */
  open(step: FilledStep): Promise<{ readonly answer: RawAnswer; readonly stream?: Stream }>;
}
