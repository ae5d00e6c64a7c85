import type { Protocol } from '../../morpc/index.ts';
import {
  bool,
  bytes,
  type Decoded,
  type Encodable,
  int32,
  message,
  optional,
  plain,
  string,
  uint64,
} from '../../morpc/protobuf/index.ts';

/** Methods of the lock service that a node's end needs. */
export const lockMethods = { setRestartService: 12, remainTxnInService: 13, canRestartService: 14 } as const;
export type LockMethod = keyof typeof lockMethods;

const OfService = message({ serviceId: plain(1, string) });
const Done = message({ ok: plain(1, bool) });

const LockRequest = message({
  requestId: plain(1, uint64),
  method: plain(3, int32),
  setRestartService: optional(14, OfService),
  canRestartService: optional(15, OfService),
  remainTxnInService: optional(16, OfService),
});

/** The numbers of the answers are the requests' plus one. */
const LockResponse = message({
  requestId: plain(1, uint64),
  method: plain(2, int32),
  /** An encoded `ErrorMessage`; empty: fine. */
  error: plain(3, bytes),
  setRestartService: optional(15, Done),
  canRestartService: optional(16, Done),
  remainTxnInService: optional(17, message({ remainTxn: plain(1, int32) })),
});

/** Who holds which locks, at each TN. */
export const lockService: Protocol<
  Decoded<typeof LockRequest>,
  Encodable<typeof LockRequest>,
  Decoded<typeof LockResponse>,
  Encodable<typeof LockResponse>
> = { name: 'lock service', request: LockRequest, response: LockResponse, payload: false };
