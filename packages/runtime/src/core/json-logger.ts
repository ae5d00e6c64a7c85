import { type Logger, silentLogger, systemClock } from '@coxswain/runtime/core';

const levels = ['debug', 'info', 'warn', 'error'] as const;

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

/** JSON lines on standard error, from `level` up; an unknown level logs nothing. */
export function stderrLogger(level: string, fields: object = {}): Logger {
  const least = (levels as readonly string[]).indexOf(level);
  if (least < 0) return silentLogger;
  const at = (name: (typeof levels)[number]) => (more: object, message: string) => {
    if (levels.indexOf(name) < least) return;
    process.stderr.write(
      `${lineOf({ time: new Date(systemClock.now()).toISOString(), level: name, message, ...fields, ...more })}\n`,
    );
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => stderrLogger(level, { ...fields, ...more }),
  };
}
