import type { Storage } from '../../storage/types.ts';
import type { HealthCheck } from '../discovery/index.ts';

/** What whoever runs the server tells of it. */
export interface HealthState {
  /** The stored definitions are served. */
  crds: boolean;
  /** Absent: none are to run. */
  controllers?: 'starting' | 'running';
  stopping: boolean;
}

/** `storage` (it takes writes), and for readiness alone `crds`, `controllers` and `shutdown`. */
export function healthChecks(storage: Storage, state: HealthState): readonly HealthCheck[] {
  const ready = (name: string, check: () => string | undefined): HealthCheck => ({
    name,
    check,
    endpoints: ['readyz'],
  });
  return [
    { name: 'storage', check: () => storage.fault },
    ready('crds', () => (state.crds ? undefined : 'the stored definitions are not served yet')),
    ready('controllers', () => (state.controllers === 'starting' ? 'the controllers have not started yet' : undefined)),
    ready('shutdown', () => (state.stopping ? 'the server is stopping' : undefined)),
  ];
}
