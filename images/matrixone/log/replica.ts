import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import { apply, type Command, type Expiry, type KeeperState, type Outcome } from './state.ts';

/** Which of two states is the newer one: first by the term of the leader that made it, then by its number. */
export interface Version {
  readonly term: number;
  readonly index: number;
}

/** What a replica must not forget. */
export interface Durable {
  readonly term: number;
  /** Who got this replica's vote in `term`. */
  readonly votedFor?: string;
  readonly version: Version;
  readonly value: KeeperState;
}

export type Question =
  | { readonly kind: 'vote'; readonly term: number; readonly from: string; readonly version: Version }
  | {
      readonly kind: 'append';
      readonly term: number;
      readonly from: string;
      readonly version: Version;
      readonly value: KeeperState;
    };
export interface Reply {
  readonly term: number;
  readonly ok: boolean;
}

/** What a replica has from outside. */
export interface ReplicaOptions {
  readonly uuid: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly expiry: Expiry;
  readonly ticksPerSecond: number;
  readonly saved: Durable;
  readonly save: (durable: Durable) => Promise<void>;
  /** Whether this store has a replica, by the newest that is known. */
  readonly isMember: () => boolean;
  /** Asks another member; rejects without an answer. */
  readonly ask: (uuid: string, question: Question) => Promise<Reply>;
}

/** Milliseconds. */
const times = { beat: 150, election: 600 };

/** A command, or a look at the state, that waits for the next round. */
interface Waiting {
  readonly command?: Command;
  readonly settle: (outcome: Outcome | undefined) => void;
}

/** Whether one state comes after another. */
export const isNewer = (one: Version, other: Version): boolean =>
  one.term > other.term || (one.term === other.term && one.index > other.index);

/**
 * One replica of HAKeeper. As in Raft there is a leader of each term, elected by a majority, and what a majority has is kept; but instead of
 * a log of changes the whole (small) state is sent, so that each state includes all before it. All who wait go in one round.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #stopping = new AbortController();
  #durable: Durable;
  /** Who leads this term, as far as is known. */
  #leader: string | undefined;
  #heard: number;
  #patience = 0;
  #ticked = 0;
  #waiting: Waiting[] = [];
  #wake: (() => void) | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#durable = options.saved;
    this.#heard = options.clock.monotonic();
  }

  get members(): KeeperState['members'] {
    return this.#durable.value.members;
  }

  /** UUID of the leader; `undefined` when none is known. */
  get leader(): string | undefined {
    return this.#leader;
  }

  get term(): number {
    return this.#durable.term;
  }

  /** Of the last state this replica has, which may not be one that a majority keeps. */
  get version(): Version {
    return this.#durable.version;
  }

  /** Works until {@link stop}. */
  async run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    this.#beImpatient();
    while (!signal.aborted) {
      const leads = this.#leader === this.#options.uuid;
      if (leads) await this.#round();
      else if (clock.monotonic() - this.#heard >= this.#patience) await this.#campaign();
      if (signal.aborted || (this.#waiting.length > 0 && leads)) continue;
      await this.#pause();
    }
  }

  stop(): void {
    this.#stopping.abort(new Error('the store stops'));
    this.#wake?.();
    this.#giveUp();
  }

  /** Has a command carried out, or (without one) the state looked at. `undefined`: this is not the leader, or no majority answers. */
  propose(command?: Command): Promise<Outcome | undefined> {
    if (this.#leader !== this.#options.uuid || this.#stopping.signal.aborted) return Promise.resolve(undefined);
    return new Promise((settle) => {
      this.#waiting.push({ settle, ...(command ? { command } : {}) });
      this.#wake?.();
    });
  }

  /** Answers another member. */
  async answer(question: Question): Promise<Reply> {
    const { term, version } = question;
    if (term < this.#durable.term) return { term: this.#durable.term, ok: false };
    // One that lost its replica without hearing of it must not unseat a leader.
    if (question.kind === 'vote' && !Object.values(this.members).includes(question.from)) return { term: 0, ok: false };
    if (term > this.#durable.term) this.#enter(term);
    if (question.kind === 'vote') return this.#vote(question);
    this.#leader = question.from;
    this.#beImpatient();
    const before = this.#durable.version;
    if (version.term !== before.term || version.index !== before.index) {
      this.#durable = { ...this.#durable, version, value: question.value };
      await this.#save();
    }
    return { term, ok: true };
  }

  async #vote({ term, from, version }: Extract<Question, { kind: 'vote' }>): Promise<Reply> {
    const { votedFor } = this.#durable;
    const ok = (votedFor ?? from) === from && !isNewer(this.#durable.version, version);
    if (!ok) return { term, ok };
    this.#durable = { ...this.#durable, votedFor: from };
    this.#beImpatient();
    await this.#save();
    return { term, ok };
  }

  /** A later term: who led until now does so no longer. */
  #enter(term: number): void {
    const { version, value } = this.#durable;
    this.#durable = { term, version, value };
    this.#leader = undefined;
    this.#giveUp();
  }

  #giveUp(): void {
    for (const { settle } of this.#waiting.splice(0)) settle(undefined);
  }

  #save(): Promise<void> {
    return this.#options.save(this.#durable);
  }

  #beImpatient(): void {
    const { clock, random } = this.#options;
    this.#heard = clock.monotonic();
    // One alone has nobody to wait for.
    const alone = Object.keys(this.members).length === 1;
    this.#patience = alone ? 0 : times.election * (1 + random.next());
  }

  async #campaign(): Promise<void> {
    const { uuid, logger } = this.#options;
    if (!this.#options.isMember()) return;
    this.#enter(this.#durable.term + 1);
    const { term, version } = this.#durable;
    this.#durable = { ...this.#durable, votedFor: uuid };
    this.#beImpatient();
    await this.#save();
    const won = await this.#majority([this.members], { kind: 'vote', term, from: uuid, version });
    if (!won || this.#durable.term !== term) return;
    this.#leader = uuid;
    this.#ticked = this.#options.clock.monotonic();
    // A state of its own term, so that what went before is kept with it.
    this.#durable = { ...this.#durable, version: { term, index: version.index + 1 } };
    await this.#save();
    logger.info({ term }, 'leads HAKeeper');
  }

  /** Carries out what waits, and has a majority keep it. */
  async #round(): Promise<void> {
    const { uuid, expiry } = this.#options;
    const batch = this.#waiting.splice(0);
    const before = this.#durable;
    const outcomes: Outcome[] = [];
    let { value } = before;
    for (const command of [this.#tick(batch.length > 0), ...batch.map((one) => one.command)]) {
      const outcome = command ? apply(value, command, expiry) : { state: value };
      if ('state' in outcome) value = outcome.state;
      outcomes.push(outcome);
    }
    const { term } = before;
    const version = value === before.value ? before.version : { term, index: before.version.index + 1 };
    this.#durable = { ...before, version, value };
    if (version !== before.version) await this.#save();
    const groups = [before.value.members, value.members];
    const kept = await this.#majority(groups, { kind: 'append', term, from: uuid, version, value });
    const stays = kept && this.#durable.term === term && this.#leader === uuid;
    for (const [index, { settle }] of batch.entries()) settle(stays ? outcomes[index + 1] : undefined);
    if (stays) this.#heard = this.#options.clock.monotonic();
    else if (this.#leader === uuid && this.#options.clock.monotonic() - this.#heard > 2 * times.election) {
      // Whoever cannot be heard by a majority must not say that it leads.
      this.#leader = undefined;
      this.#giveUp();
    }
  }

  /** Time that has passed, once a second or with other commands. */
  #tick(withOthers: boolean): Command | undefined {
    const { clock, ticksPerSecond } = this.#options;
    const passed = clock.monotonic() - this.#ticked;
    const ticks = Math.floor((passed / 1000) * ticksPerSecond);
    if (ticks === 0 || (!withOthers && passed < 1000)) return undefined;
    this.#ticked += (ticks / ticksPerSecond) * 1000;
    return { kind: 'tick', ticks, now: clock.now() };
  }

  /** Whether a majority of each group says yes; as soon as that is certain. */
  #majority(groups: readonly KeeperState['members'][], question: Question): Promise<boolean> {
    const { uuid, ask } = this.#options;
    const said = new Set([uuid]);
    const enough = () =>
      groups.every((group) => {
        const all = Object.values(group);
        return all.filter((member) => said.has(member)).length > all.length / 2;
      });
    const others = [...new Set(groups.flatMap((group) => Object.values(group)))].filter((member) => member !== uuid);
    return new Promise((resolve) => {
      if (enough()) resolve(true);
      const asked = others.map(async (member) => {
        const reply = await ask(member, question).catch(() => undefined);
        if (reply?.ok) said.add(member);
        else if (reply && reply.term > this.#durable.term) this.#enter(reply.term);
        if (enough()) resolve(true);
      });
      Promise.all(asked).then(() => resolve(enough()));
    });
  }

  /** Until the next beat, or until something waits. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(times.beat, () => this.#wake?.());
      this.#wake = () => {
        this.#wake = undefined;
        timer.cancel();
        resolve();
      };
      if (this.#stopping.signal.aborted) this.#wake();
    });
  }
}
