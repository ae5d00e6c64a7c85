/**
 * The garbage collector: objects whose owners are gone follow them, owners that are deleted in the foreground wait for what they
 * own, and orphaned dependents are let go. Works on metadata alone, of every kind.
 */
import type { Manager } from '@coxswain/runtime/manager';
import type { KindMonitors } from '../kinds/index.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { GarbageCollector } from './garbage-collector.ts';

/** Adds the garbage collector to the control plane's manager. */
export function garbageCollector(manager: Manager, monitors: KindMonitors): void {
  manager.add(new GarbageCollector(manager, monitors, controllerRecorder(manager, 'garbage-collector-controller')));
}
