import type { Condition, KubeObject, Writable } from '@coxswain/k8s';
import { conditionsOf, removeCondition, setCondition } from '../apply/index.ts';
import { type Clock, cloneJson } from '../core/index.ts';
import type { ConditionWriter, StatusOf } from './types.ts';

type Fields = Record<string, unknown>;

/** The condition by which the loop tells how far it is. */
export const syncedType = 'Synced';

/** As API servers take it in a condition; an empty one is stored as `empty`. */
const reasonPattern = /^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?)?$/;

/** What a server would refuse is refused where it is said: else the whole status would be, and show nothing. */
function checkCondition(type: string, status: string, reason: string): void {
  if (!['True', 'False', 'Unknown'].includes(status))
    throw new TypeError(`condition ${type}: the status "${status}" is none: give True, False or Unknown`);
  if (!reasonPattern.test(reason)) {
    const instead = 'give one word such as "NotAvailable", and say the rest in the message';
    throw new TypeError(`condition ${type}: the reason "${reason}" is refused by API servers: ${instead}`);
  }
}

/** The status of one pass while it is being worked out. Starts as a copy of what the object has. */
export class StatusDraft<T extends KubeObject> {
  readonly fields: Fields;
  readonly #clock: Clock;
  readonly #before: readonly Condition[];
  readonly #subresource: boolean;
  #generation: number | undefined;
  #actorSynced = false;

  /** @param subresource whether status has its own; without one each write of status is a new generation, and conditions speak of none */
  constructor(object: T, clock: Clock, subresource = true) {
    this.fields = cloneJson((object as { readonly status?: Fields }).status ?? {});
    this.#clock = clock;
    this.#before = conditionsOf(object);
    this.#subresource = subresource;
    this.see(object);
  }

  get status(): Writable<StatusOf<T>> {
    return this.fields as Writable<StatusOf<T>>;
  }

  /** Conditions set from now on speak of this object's generation. */
  see(object: T): void {
    this.#generation = this.#subresource ? object.metadata.generation : undefined;
  }

  /** Whether the actor has set the condition `Synced` itself in this pass: then the loop does not overrule it. */
  get actorSynced(): boolean {
    return this.#actorSynced;
  }

  get(type: string): Condition | undefined {
    return this.#conditions.find((condition) => condition.type === type);
  }

  /** Whether a condition is there and speaks of this generation. */
  isCurrent(type: string): boolean {
    const condition = this.get(type);
    return condition !== undefined && condition.observedGeneration === this.#generation;
  }

  /** As it was when the pass began. */
  before(type: string): Condition | undefined {
    return this.#before.find((condition) => condition.type === type);
  }

  set(type: string, status: Condition['status'], reason: string, message = ''): void {
    const generation = this.#generation;
    const input = {
      type,
      status,
      reason,
      message,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    this.fields.conditions = setCondition(this.#conditions, input, this.#clock.now());
  }

  /** What the actor is given. */
  readonly conditions: ConditionWriter = {
    get: (type) => this.get(type),
    set: (type, status, reason, message) => {
      checkCondition(type, status, reason);
      if (type === syncedType) this.#actorSynced = true;
      this.set(type, status, reason, message);
    },
    remove: (type) => {
      const conditions = removeCondition(this.#conditions, type);
      if (conditions !== this.#conditions) this.fields.conditions = conditions;
    },
  };

  get #conditions(): readonly Condition[] {
    return conditionsOf({ metadata: { name: '' }, status: this.fields } as KubeObject);
  }
}
