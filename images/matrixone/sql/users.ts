/** Of the users there are at the first start; other accounts exist as soon as somebody uses them, with the same password. */
const firstPassword = '111';

/** Who may log in. Those that statements make are known to their own node only. */
export class Users {
  readonly #made = new Map<string, string>();

  /** Makes a user of the sys account, unless there is one of that name. */
  create(name: string, password: string): void {
    if (!this.#made.has(name)) this.#made.set(name, password);
  }

  /** Gives a user that was made another password. @returns whether there is one of that name */
  change(name: string, password: string): boolean {
    return this.#made.has(name) && this.#made.set(name, password) !== undefined;
  }

  /** The password of a user; `undefined`: there is no such user. */
  passwordOf(account: string, user: string): string | undefined {
    if (user === '') return undefined;
    if (account !== 'sys' || user === 'root' || user === 'dump') return firstPassword;
    return this.#made.get(user);
  }
}
