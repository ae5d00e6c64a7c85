import type { RbacRules } from '../../apply/index.ts';
import type { Client } from '../../client/index.ts';
import type { Clock, Logger, Random } from '../../core/index.ts';
import type { MetricsRegistry } from '../../metrics/index.ts';
import type { KeyPair } from '../../pki/index.ts';

/** What a certificate source works with. */
export interface CertificateParts {
  /** Not fenced by an election: every replica needs its certificate, whether it leads or not. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** Takes the first certificate and each later one. @throws Error when it is none */
  readonly use: (pair: KeyPair) => void;
}

/** Where a server gets its certificate from. */
export interface CertificateSource {
  /** What its client must be allowed to do for it. Absent: nothing. */
  readonly rules?: RbacRules;
  /** Resolves when the first certificate has been handed over; goes on until it is stopped or `signal` is aborted. */
  start(parts: CertificateParts, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}
