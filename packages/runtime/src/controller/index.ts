// Controller: events of watched kinds become keys in a queue, workers reconcile them one key at a time.
// Source → Predicate → map → WorkQueue → Reconciler. Knows caches and queues; knows nothing of managers, elections
// or what a reconcile does.
export { Builder, type Register } from './builder.ts';
export { type ChannelSource, channelSource } from './channel-source.ts';
export { ControllerStopped, KindsNotServed, ReconcileTimeout } from './errors.ts';
export type { ExternalFeed, ExternalSource, ExternalSourceContext } from './external-source.ts';
export type { ClientUse, ControllerHost } from './host.ts';
export { controllerOf, ownerKey } from './owner.ts';
export { type PollOptions, pollSource } from './poll-source.ts';
export {
  and,
  annotationsChanged,
  fieldChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  resourceVersionChanged,
  statusChanged,
} from './predicates.ts';
export { RunningController } from './running-controller.ts';
export { RunningReconciles } from './running-reconciles.ts';
export type {
  Controller,
  ControllerBuilder,
  ControllerOptions,
  DeclaredActor,
  DeclaredController,
  DeclaredKind,
  MapToKeys,
  Predicate,
  ReconcileContext,
  Reconciler,
  Result,
} from './types.ts';
