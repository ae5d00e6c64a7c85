import type { MetricsRegistry } from '../metrics/index.ts';

/** How a reconcile ended, as in the label `result`. */
export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** What a controller reports. Times are milliseconds. */
export interface ControllerObserver {
  workers(count: number): void;
  began(): void;
  ended(result: ReconcileResult, ms: number): void;
  timedOut(): void;
}

/** Reports a controller under controller-runtime's names, with the label `controller`. */
export function controllerMetrics(registry: MetricsRegistry, controller: string): ControllerObserver {
  const own = { controller };
  const labels = ['controller'];
  const total = registry.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by how they ended',
    labels: ['controller', 'result'],
  });
  const errors = registry.counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles that threw',
    labels,
  });
  const timeouts = registry.counter({
    name: 'controller_runtime_reconcile_timeouts_total',
    help: 'Reconciles aborted because they took too long',
    labels,
  });
  const time = registry.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Seconds a reconcile takes',
    labels,
  });
  const max = registry.gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Reconciles that may run at the same time',
    labels,
  });
  const active = registry.gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconciles running now',
    labels,
  });
  return {
    workers: (count) => max.set(own, count),
    began: () => active.add(own, 1),
    ended(result, ms) {
      active.add(own, -1);
      total.inc({ controller, result });
      if (result === 'error') errors.inc(own);
      time.observe(own, ms / 1000);
    },
    timedOut: () => timeouts.inc(own),
  };
}
