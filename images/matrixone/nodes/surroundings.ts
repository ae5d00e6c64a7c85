import type { Dial } from '@coxswain/operator-matrixone/morpc';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import type { ObjectStore, Place, S3Access } from '../storage/index.ts';
import type { Faults } from './faults.ts';

/** What a service has from outside. */
export interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly dial: Dial;
  readonly faults: Faults;
  /** The objects at a place, with the program's own keys unless others are given. */
  readonly openStore: (place: Place, access?: S3Access) => ObjectStore;
  /** Instead of `0.0.0.0`, where pods share a machine and each has an address of its own. */
  readonly ownAddress?: string;
  /** Commit that a compute node says it is built from. */
  readonly commitId: string;
}

/** A service that runs. */
export interface Service {
  /** Addresses as others are told, by the name of what answers there. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Ends it at once, as MatrixOne does: connections are cut. */
  stop(): Promise<void>;
}

/** A service gave up; the process ends with `code`: 2 where the real one panics, 1 where it ends by itself. */
export class ServiceEnd extends Error {
  readonly code: 1 | 2;

  constructor(code: 1 | 2, message: string) {
    super(message);
    this.name = 'ServiceEnd';
    this.code = code;
  }
}
