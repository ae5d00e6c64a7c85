import { type Clock, systemClock } from './clock.ts';
import type { Logger } from './logger.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** Levels of a logger, the least urgent first. */
export type LogLevel = (typeof levels)[number];

/** Where `jsonLogger` writes, and from which level on. */
export interface JsonLoggerOptions {
  /** Takes each line, with its line break: `(line) => process.stderr.write(line)`. */
  readonly write: (line: string) => void;
  /** The least that is written. Default `info`. */
  readonly level?: LogLevel;
  /** Stamps the lines. Default: the machine's. */
  readonly clock?: Clock;
  /** On every line. */
  readonly fields?: object;
}

/** Whatever is logged must not fail: errors are written out, what JSON cannot say becomes text. */
function lineOf(fields: object): string {
  try {
    return JSON.stringify(fields, (_key, value: unknown) => {
      if (value instanceof Error) return { ...value, name: value.name, message: value.message, stack: value.stack };
      return typeof value === 'bigint' ? String(value) : value;
    });
  } catch {
    return JSON.stringify(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)])));
  }
}

/** A logger of JSON lines: `time`, `level`, `message`, then the fields. */
export function jsonLogger(options: JsonLoggerOptions): Logger {
  const { write, level = 'info', clock = systemClock, fields = {} } = options;
  const at = (name: LogLevel) => (more: object, message: string) => {
    if (levels.indexOf(name) < levels.indexOf(level)) return;
    const time = new Date(clock.now()).toISOString();
    write(`${lineOf({ time, level: name, message, ...fields, ...more })}\n`);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => jsonLogger({ ...options, fields: { ...fields, ...more } }),
  };
}
