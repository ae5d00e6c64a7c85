import { type Clock, systemClock } from './clock.ts';
import { loggable } from './loggable.ts';
import type { Logger } from './logger.ts';
import { type Mask, maskSecrets } from './mask.ts';

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
  /** What must not be shown of the values, on lines that are written. Default: {@link maskSecrets}; `false`: all is shown. */
  readonly mask?: Mask | false;
}

/** The fields of all parts, the later ones first. Those that cannot be read must not keep the line from being written. */
function joined(base: object, fields: object, more: object = {}): object {
  try {
    return { ...base, ...fields, ...more };
  } catch {
    const read = (part: object, key: string): unknown => {
      try {
        return (part as Readonly<Record<string, unknown>>)[key];
      } catch {
        return '[not readable]';
      }
    };
    return Object.fromEntries(
      [base, fields, more].flatMap((part) => Object.keys(part ?? {}).map((key) => [key, read(part, key)])),
    );
  }
}

const asItIs: Mask = (_key, value) => value;

/**
 * A logger of JSON lines: `time`, `level`, `message`, then the fields; secrets are masked. Errors are written with their causes, and those
 * that an AggregateError holds (ten at most). A line goes 24 levels deep and has about 256 KiB at most; what is beyond is said to be.
 */
export function jsonLogger(options: JsonLoggerOptions): Logger {
  const { write, level = 'info', clock = systemClock, fields = {} } = options;
  const mask = options.mask === false ? asItIs : (options.mask ?? maskSecrets);
  const at = (name: LogLevel) => (more: object, message: string) => {
    if (levels.indexOf(name) < levels.indexOf(level)) return;
    const time = new Date(clock.now()).toISOString();
    write(`${JSON.stringify(loggable(joined({ time, level: name, message }, fields, more), mask))}\n`);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => jsonLogger({ ...options, fields: joined(fields, more) }),
  };
}
