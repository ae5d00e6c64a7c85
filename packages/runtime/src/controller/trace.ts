import type { Kind } from '@coxswain/k8s';
import type { Attributes } from '@opentelemetry/api';
import { parseKey } from '../core/index.ts';
import type { Taken } from '../queue/index.ts';
import type { ReconcileResult } from './metrics.ts';

/** How a reconcile ended; `error` is why, when it failed. */
export interface Ended {
  readonly result: ReconcileResult;
  readonly error: unknown;
}

/** What the span of a reconcile says from its beginning; `coxswain.result` comes at its end. */
export function reconcileAttributes(
  controller: string,
  kind: Kind,
  { key, lane, failures, waited }: Taken,
): Attributes {
  const { namespace, name } = parseKey(key);
  return {
    'coxswain.controller': controller,
    'coxswain.kind': kind.kind,
    ...(namespace ? { 'coxswain.namespace': namespace } : {}),
    'coxswain.name': name,
    'coxswain.queue.lane': lane,
    'coxswain.queue.wait_ms': waited,
    'coxswain.failures': failures,
  };
}
