/**
 * Thrown by `observe`, `finalize` or an action to wait without an error: no backoff, no warning. The message tells
 * people what is waited for; `after` is milliseconds to the next look, default (and for 0) the actor's `retryAfter`.
 */
export class Resync extends Error {
  readonly after: number | undefined;

  constructor(message: string, after?: number) {
    super(message);
    this.name = 'Resync';
    this.after = after;
  }
}
