// Actor: the life of one kind, as `observe` and `finalize`. The loop around them owns finalizers, status, conditions,
// events, waiting and the guards against running in circles. Built on controller and apply; knows no manager.
export { ActorControllerBuilder, type ActorHost } from './builder.ts';
export { type Child, type ChildOptions, ChildrenError, child, type ImmutablePolicy } from './child-plan.ts';
export { type ConfigsInUse, configsInTemplates } from './configs-in-templates.ts';
export {
  type DesiredActor,
  type DesiredOptions,
  desired,
  type ObservedChildren,
  observedChildren,
} from './desired.ts';
export { type ConfigContent, type ImmutableConfigOptions, immutableConfig } from './immutable-config.ts';
export { immutableFields } from './immutable-fields.ts';
export { Resync } from './resync.ts';
export { type SummaryOptions, type SummaryPart, summarize, summaryOf } from './summary.ts';
export type {
  Action,
  Actor,
  ActorContext,
  ActorOptions,
  ConditionWriter,
  Dependency,
  EventDetails,
  ExpectOptions,
  StatusOf,
} from './types.ts';
