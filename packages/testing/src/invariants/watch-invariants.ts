import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import { type Cache, createCache } from '@coxswain/runtime/cache';
import type { Client } from '@coxswain/runtime/client';
import { type Clock, keyOf, keyString, messageOf, systemClock } from '@coxswain/runtime/core';

/** What is broken, in words; `undefined` while it holds. Reads the stores of the kinds that are watched. */
export type Rule = (stores: Pick<Cache, 'store'>) => string | undefined;

/** The rules, and the kinds they look at. */
export interface InvariantOptions {
  readonly client: Client;
  /** What the rules look at. Kinds are watched each for itself: a rule over two of them may see one ahead of the other. */
  readonly kinds: readonly Kind[];
  /** Absent: all namespaces. */
  readonly namespace?: string;
  /** By name. */
  readonly rules: Readonly<Record<string, Rule>>;
  /** How the run can be had again: named in the error. */
  readonly seed?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** An invariant did not hold: which, after which change, and what was told before. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Rules that are asked after each change of the server. */
export interface Invariants extends AsyncDisposable {
  /** Changes looked at so far. */
  readonly checked: number;
  /** @throws InvariantError when a rule was broken at any time since the beginning */
  check(): void;
  stop(): Promise<void>;
}

/** Changes before the broken one that the error tells. */
const remembered = 10;

/**
 * Watches the kinds and asks every rule after each change. The first that is broken is kept for {@link Invariants.check}; a rule that
 * throws counts as broken. Resolves when the present state is known.
 */
export async function watchInvariants(options: InvariantOptions): Promise<Invariants> {
  const { client, kinds, namespace, rules, seed, clock = systemClock } = options;
  const cache = createCache({ client, clock });
  const trail: string[] = [];
  let checked = 0;
  let broken: InvariantError | undefined;
  const judge = () => {
    for (const [name, rule] of Object.entries(rules)) {
      const why = broken ? undefined : verdict(rule, cache);
      if (why !== undefined) broken = new InvariantError(message(name, why, trail, seed));
    }
  };
  const look = (kind: Kind, type: string, object: KubeObject) => {
    trail.push(`${type} ${resourceName(kind)} ${keyString(keyOf(object))} at ${object.metadata.resourceVersion}`);
    if (trail.length > remembered) trail.shift();
    checked++;
    judge();
  };
  const scope = namespace ? { namespace } : {};
  const informers = kinds.map((kind) => ({ kind, informer: cache.informer(kind, scope) }));
  await cache.synced();
  for (const { kind, informer } of informers) {
    informer.onEvent((event) => {
      if (event.type !== 'added' || !event.initial) look(kind, event.type, event.object);
    });
  }
  judge();
  const stop = () => cache.stop();
  return {
    get checked() {
      return checked;
    },
    check() {
      if (broken) throw broken;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function verdict(rule: Rule, cache: Cache): string | undefined {
  try {
    return rule(cache);
  } catch (error) {
    return `the rule threw: ${messageOf(error)}`;
  }
}

function message(name: string, why: string, trail: readonly string[], seed: number | undefined): string {
  const again = seed === undefined ? '' : ` (seed ${seed})`;
  return `invariant "${name}" does not hold${again}: ${why}\nlast changes:\n${trail.map((line) => `  ${line}`).join('\n')}`;
}
