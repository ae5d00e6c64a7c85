/** A token of ours that is no longer, or not here, good. The message is for people. */
export class TokenError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'TokenError';
  }
}
