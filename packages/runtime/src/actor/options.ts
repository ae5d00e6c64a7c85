import type { ActorOptions } from './types.ts';

/** {@link ActorOptions} with every default filled in. */
export interface ResolvedActorOptions {
  readonly finalizer: string;
  readonly fieldManager: string;
  readonly retryAfter: number;
  readonly resyncAfter: number | undefined;
  readonly statusSubresource: boolean;
  readonly syncedCondition: boolean;
}

/** @throws RangeError for an option that makes no sense, naming it */
export function resolveActorOptions(options: ActorOptions, controller: string): ResolvedActorOptions {
  const retryAfter = options.retryAfter ?? 2_000;
  if (!(retryAfter > 0))
    throw new RangeError(`${controller}: option "retryAfter" is ${retryAfter}; give milliseconds above 0`);
  if (!/^[^/\s]+\/[^/\s]+$/.test(options.finalizer)) {
    throw new RangeError(`${controller}: finalizer "${options.finalizer}" is not qualified; write it as domain/name`);
  }
  return {
    finalizer: options.finalizer,
    fieldManager: options.fieldManager ?? controller,
    retryAfter,
    resyncAfter: options.resyncAfter,
    statusSubresource: options.statusSubresource ?? true,
    syncedCondition: options.syncedCondition ?? true,
  };
}
