import { type Logger, silentLogger, systemClock } from '@coxswain/runtime/core';

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** JSON lines on standard error, from `level` up; an unknown level logs nothing. */
export function stderrLogger(level: string, fields: object = {}): Logger {
  const least = (levels as readonly string[]).indexOf(level);
  if (least < 0) return silentLogger;
  const at = (name: (typeof levels)[number]) => (more: object, message: string) => {
    if (levels.indexOf(name) < least) return;
    process.stderr.write(
      `${JSON.stringify({ time: new Date(systemClock.now()).toISOString(), level: name, message, ...fields, ...more })}\n`,
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
