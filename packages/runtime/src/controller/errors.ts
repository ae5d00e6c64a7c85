/** A reconcile did not end in time; the message says for which calls it waited, and how long. Its signal carries this as the reason. */
export class ReconcileTimeout extends Error {
  constructor(controller: string, key: string, ms: number, waitingFor = 'something') {
    super(
      `${controller}: reconcile of ${key} was aborted after ${ms / 1000}s, waiting for ${waitingFor}; ` +
        'pass ctx.signal to what it waits for, or raise the option "timeout"',
    );
    this.name = 'ReconcileTimeout';
  }
}

/** The controller is stopping. The signals of running reconciles carry this as the reason. */
export class ControllerStopped extends Error {
  constructor(controller: string) {
    super(`${controller}: stopping`);
    this.name = 'ControllerStopped';
  }
}

/** Kinds that a controller watches could not be listed in time, and its option `startup` is `fail`. */
export class KindsNotServed extends Error {
  constructor(controller: string, kinds: readonly string[], ms: number) {
    super(
      `${controller}: not started: ${kinds.join(', ')} could not be listed within ${ms / 1000}s; ` +
        'install the kinds, allow them to be listed and watched, or set the option "startup" to "wait"',
    );
    this.name = 'KindsNotServed';
  }
}
