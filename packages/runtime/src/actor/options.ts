import type { KubeObject } from '@coxswain/k8s';
import { checkNumber, checkOptions, isFields, milliseconds, optionNames, someMilliseconds } from '../core/index.ts';
import type { Actor, ActorOptions } from './types.ts';

const names = optionNames<ActorOptions>({
  finalizer: true,
  fieldManager: true,
  retryAfter: true,
  resyncAfter: true,
  statusDelay: true,
  statusSubresource: true,
  syncedCondition: true,
});

/** {@link ActorOptions} with every default filled in. */
export interface ResolvedActorOptions {
  readonly finalizer: string;
  readonly fieldManager: string;
  readonly retryAfter: number;
  readonly resyncAfter: number | undefined;
  readonly statusDelay: number;
  readonly statusSubresource: boolean;
  readonly syncedCondition: boolean;
}

/** @throws TypeError for what is no actor, naming what it lacks */
export function checkActor<T extends KubeObject>(actor: Actor<T>, controller: string): void {
  for (const name of ['observe', 'finalize'] as const) {
    if (isFields(actor) && typeof actor[name] === 'function') continue;
    throw new TypeError(`${controller}: the actor has no function \`${name}\`; see Actor`);
  }
}

/**
 * @throws TypeError for an option that is not known
 * @throws RangeError for an option that makes no sense, naming it
 */
export function resolveActorOptions(options: ActorOptions, controller: string): ResolvedActorOptions {
  checkOptions(`options of the actor ${controller}`, options, names);
  const { retryAfter = 2_000, resyncAfter, statusDelay = 0 } = options;
  checkNumber(controller, 'retryAfter', retryAfter, someMilliseconds);
  checkNumber(controller, 'resyncAfter', resyncAfter, milliseconds);
  checkNumber(controller, 'statusDelay', statusDelay, milliseconds);
  if (!/^[^/\s]+\/[^/\s]+$/.test(options.finalizer)) {
    throw new RangeError(`${controller}: finalizer "${options.finalizer}" is not qualified; write it as domain/name`);
  }
  return {
    finalizer: options.finalizer,
    fieldManager: options.fieldManager ?? controller,
    retryAfter,
    resyncAfter,
    statusDelay,
    statusSubresource: options.statusSubresource ?? true,
    syncedCondition: options.syncedCondition ?? true,
  };
}
