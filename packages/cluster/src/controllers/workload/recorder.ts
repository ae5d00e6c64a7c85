import { createRecorder, type EventRecorder } from '@coxswain/runtime/events';
import type { Manager } from '@coxswain/runtime/manager';

/** An event recorder for one controller of the control plane, flushed when its manager stops. */
export function controllerRecorder(manager: Manager, controller: string): EventRecorder {
  const { client, clock, log, random } = manager;
  const recorder = createRecorder({ client, clock, log, random, reporter: { controller, instance: controller } });
  manager.add({ name: `${controller}-events`, start: async () => {}, stop: () => recorder.stop() });
  return recorder;
}
