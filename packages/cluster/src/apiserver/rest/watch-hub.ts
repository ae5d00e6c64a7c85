import type { Clock, Timer } from '@coxswain/runtime/core';
import type { ResourceInfo } from '../types.ts';
import { WatchFeeds } from './watch-feed.ts';

const bookmarkInterval = 60_000;

/** A watch as the hub sees it. */
export interface HubMember {
  readonly resource: ResourceInfo;
  /** Time for a periodic bookmark. */
  bookmark(): void;
  /** The server closes, or serves the resource no longer. */
  end(): void;
}

/** All open watches of a server: one timer gives the bookmarks of them all. */
export class WatchHub {
  readonly feeds = new WatchFeeds();
  readonly #clock: Clock;
  readonly #members = new Set<HubMember>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(member: HubMember): void {
    this.#members.add(member);
    this.#timer ??= this.#clock.after(bookmarkInterval, () => this.#tick());
  }

  delete(member: HubMember): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Ends the watches of a resource, whatever its definition was when they began. */
  endOf({ group, version, plural }: ResourceInfo): void {
    for (const member of [...this.#members]) {
      const { resource } = member;
      if (resource.plural === plural && resource.group === group && resource.version === version) member.end();
    }
  }

  close(): void {
    for (const member of [...this.#members]) member.end();
  }

  #tick(): void {
    this.#timer = this.#clock.after(bookmarkInterval, () => this.#tick());
    for (const member of [...this.#members]) member.bookmark();
  }
}
