import { type Logger, messageOf } from '@coxswain/runtime/core';
import { TestTimeout } from './errors.ts';

/** So many are kept, the latest. */
const most = 10;

/** What managers of a world warned of or reported as errors: passes that failed, watches that broke. Nobody may be reading their log. */
export class Troubles {
  /** By what and whom they are about: one that is told again counts once. */
  readonly #lines = new Map<string, string>();

  /** The latest ones, as lines, the oldest first. */
  get lines(): readonly string[] {
    return [...this.#lines.values()];
  }

  /** The same logger, listened to. */
  observe(log: Logger, fields: object): Logger {
    const heard = (level: 'warn' | 'error') => (more: object, message: string) => {
      this.#note(level, { ...fields, ...more }, message);
      log[level](more, message);
    };
    return {
      debug: (more, message) => log.debug(more, message),
      info: (more, message) => log.info(more, message),
      warn: heard('warn'),
      error: heard('error'),
      child: (more) => this.observe(log.child(more), { ...fields, ...more }),
    };
  }

  /** What the promise brings; a wait that fails tells of the troubles, too. */
  async explain<R>(wait: Promise<R>): Promise<R> {
    try {
      return await wait;
    } catch (error) {
      const { lines } = this;
      if (!(error instanceof TestTimeout) || lines.length === 0) throw error;
      const told = ['', 'the managers told of:', ...lines].join('\n  ');
      throw new TestTimeout(`${error.message}${told}`, { cause: error.cause });
    }
  }

  #note(level: string, { err, ...fields }: { readonly err?: unknown }, message: string): void {
    const { manager, controller, kind, key } = fields as Readonly<Record<string, unknown>>;
    const about = [level, message, manager, controller, kind, key].join();
    const named = Object.entries(fields).filter(([, value]) => typeof value !== 'object');
    const why = err === undefined ? '' : `: ${messagesOf(err)}`;
    this.#lines.delete(about);
    this.#lines.set(about, `${level}: ${message} (${named.map((pair) => pair.join('=')).join(' ')})${why}`);
    for (const oldest of this.#lines.keys()) if (this.#lines.size > most) this.#lines.delete(oldest);
  }
}

/** What an error says, and what it was caused by. */
function messagesOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (caused by: ${messageOf(error.cause)})` : '';
  return `${messageOf(error)}${cause}`;
}
