import { ApiError, type Clock, type Random, seededRandom, sleep } from '@coxswain/runtime/core';
import { isAlwaysServed } from '../apiserver/operations/index.ts';
import type { ApiRequest, ApiResponse } from '../apiserver/types.ts';
import { ActiveRule } from './active-rule.ts';
import { disturbed } from './disturbed-stream.ts';
import { brokenConnection, statusFailure } from './failures.ts';
import { factsOf } from './match.ts';
import { parseFaultRule } from './parse-rule.ts';
import type { FaultAction, FaultHandle, FaultRule, Faults } from './types.ts';

/** A server as a function; with faults it rejects with a `ConnectionError` where the connection is to break. */
export type Handle = (request: ApiRequest) => Promise<ApiResponse>;

export interface FaultInjectorOptions {
  readonly clock: Clock;
  /** Seeds, with the first rule, the chance of all of them: without rules nothing is drawn. */
  readonly random: Random;
}

export interface FaultInjector extends Faults {
  /** The handler with the rules around it. Costs nothing while there are none. */
  around(handle: Handle): Handle;
}

type WatchAction = Extract<FaultAction, { watch: unknown }>;

/** What stays to be done to a request that no rule has ended. */
interface Fate {
  readonly loseReply: boolean;
  readonly watches: readonly WatchAction[];
}

class Injector implements FaultInjector {
  readonly #options: FaultInjectorOptions;
  #chance: Random | undefined;
  #rules: readonly ActiveRule[] = [];
  #made = 0;

  constructor(options: FaultInjectorOptions) {
    this.#options = options;
  }

  add(rule: FaultRule): FaultHandle {
    const parsed = parseFaultRule(rule);
    const remove = () => {
      this.#rules = this.#rules.filter((other) => other !== active);
    };
    const active = new ActiveRule(String(++this.#made), parsed, remove, this.#surroundings());
    this.#rules = [...this.#rules, active];
    return active;
  }

  list(): readonly FaultHandle[] {
    return this.#rules;
  }

  clear(): number {
    const { length } = this.#rules;
    this.#rules = [];
    return length;
  }

  around(handle: Handle): Handle {
    return (request) =>
      this.#rules.length === 0 || isAlwaysServed(request.path) ? handle(request) : this.#disturb(handle, request);
  }

  async #disturb(handle: Handle, request: ApiRequest): Promise<ApiResponse> {
    let fate: Fate;
    try {
      fate = await this.#meetRules(request);
    } catch (error) {
      if (error instanceof ApiError) return { kind: 'object', code: error.code, body: error.status };
      throw error;
    }
    const answer = await handle(request);
    if (fate.loseReply) {
      if (answer.kind === 'watch') answer.stream.cancel();
      throw brokenConnection('before the answer was sent');
    }
    if (answer.kind !== 'watch') return answer;
    const stream = fate.watches.reduce(
      (inner, action) => disturbed(inner, action, this.#surroundings()),
      answer.stream,
    );
    return { ...answer, stream };
  }

  #surroundings(): FaultInjectorOptions {
    const { clock, random } = this.#options;
    this.#chance ??= seededRandom(Math.floor(random.next() * 2 ** 32));
    return { clock, random: this.#chance };
  }

  /** @throws ApiError, ConnectionError where a rule ends the request before anything is done */
  async #meetRules(request: ApiRequest): Promise<Fate> {
    const facts = factsOf(request);
    const watches: WatchAction[] = [];
    for (const rule of this.#rules) {
      if (!rule.strikes(facts)) continue;
      const { action } = rule.rule;
      if ('status' in action) throw statusFailure(action, facts);
      if ('reset' in action) throw brokenConnection('before the request was handled');
      if ('loseReply' in action) return { loseReply: true, watches };
      if ('watch' in action) watches.push(action);
      else await sleep(this.#options.clock, action.latency, request.signal);
    }
    return { loseReply: false, watches };
  }
}

/** Faults by rule for one server; none at first. */
export function createFaults(options: FaultInjectorOptions): FaultInjector {
  return new Injector(options);
}
