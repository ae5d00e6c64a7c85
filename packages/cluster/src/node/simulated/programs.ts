import type { Duplex } from 'node:stream';
import type { Container, Pod } from '@coxswain/k8s';
import type { CommandStreams } from '../../apiserver/index.ts';

/** One run of a container, for the program that stands in for it. */
export interface ProgramRun {
  /** Writes to the container's log. A text that does not end with a line goes on in the next one. */
  write(text: string, stream?: 'stdout' | 'stderr'): void;
  /** Aborted when the container ends. */
  readonly signal: AbortSignal;
}

/** A command that somebody runs in the container. */
export interface ProgramCommand {
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly streams: CommandStreams;
}

/**
 * What stands in for the program of a simulated container, for those who look inside. It does not decide when the container starts and
 * ends: that is the pod's behaviour.
 */
export interface SimulatedProgram {
  /** At each start of the container. */
  start?(run: ProgramRun): void;
  /** Runs a command; resolves with its exit code. Absent: exit code 126, and a line that says why. */
  exec?(command: ProgramCommand): Promise<number>;
  /** Serves who joins the program itself. Absent: they see what is logged from then on, until the container ends. */
  attach?(command: ProgramCommand): Promise<void>;
  /** Who listens, by port. Connections to other ports are refused. */
  readonly ports?: Readonly<Record<number, (connection: Duplex) => void>>;
}

/** The program of a container; `undefined` for none: then its log is one line that says so. */
export type SimulatedPrograms = (pod: Pod, container: Container) => SimulatedProgram | undefined;
