import type { MetricsRegistry } from '../metrics/index.ts';

/** How an action ended, as in the label `result`. `idle`: it ran, and nothing was written. */
export type ActionResult = 'success' | 'idle' | 'wait' | 'error';

/** What an actor's loop reports. */
export interface ActorObserver {
  /** @param ms milliseconds it took */
  action(name: string, result: ActionResult, ms: number): void;
  /** An action repeats without effect. */
  loop(name: string): void;
}

/** Reports an actor with the labels `controller` and `action`. */
export function actorMetrics(registry: MetricsRegistry, controller: string): ActorObserver {
  const total = registry.counter({
    name: 'coxswain_actor_actions_total',
    help: 'Actions by how they ended',
    labels: ['controller', 'action', 'result'],
  });
  const time = registry.histogram({
    name: 'coxswain_actor_action_duration_seconds',
    help: 'Seconds an action takes',
    labels: ['controller', 'action'],
  });
  const loops = registry.counter({
    name: 'coxswain_actor_action_loops_total',
    help: 'Actions found to repeat without effect',
    labels: ['controller', 'action'],
  });
  return {
    action(action, result, ms) {
      total.inc({ controller, action, result });
      time.observe({ controller, action }, ms / 1000);
    },
    loop: (action) => loops.inc({ controller, action }),
  };
}
