import { expect, test } from 'vitest';
import { jsonLogger } from './json-logger.ts';
import { VirtualClock } from './virtual-clock.ts';

function collected(level?: 'debug' | 'warn') {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const clock = new VirtualClock();
  return { lines, clock, log: jsonLogger({ write, clock, ...(level ? { level } : {}) }) };
}

test('a line has time, level, message and the fields of the logger and the call', () => {
  const { lines, log, clock } = collected();
  log.child({ controller: 'echo' }).info({ key: 'a/b' }, 'done');
  const time = new Date(clock.now()).toISOString();
  expect(lines).toEqual([{ time, level: 'info', message: 'done', controller: 'echo', key: 'a/b' }]);
});

test('what is below the level is not written', () => {
  const { lines, log } = collected('warn');
  log.info({}, 'no');
  log.warn({}, 'yes');
  log.error({}, 'yes');
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'error']);
});

test('errors, big numbers and circles are written out', () => {
  const { lines, log } = collected();
  const circle: Record<string, unknown> = { n: 1n };
  log.error({ error: new TypeError('odd'), big: 12n }, 'a');
  circle['self'] = circle;
  log.error({ circle }, 'b');
  expect(lines[0]).toMatchObject({ big: '12', error: { name: 'TypeError', message: 'odd' } });
  expect(lines[1]).toMatchObject({ circle: '[object Object]' });
});

test('writes a line whose fields cannot all be read', () => {
  const lines: string[] = [];
  const fields = {
    good: 1,
    get bad(): string {
      throw new Error('not now');
    },
  };
  jsonLogger({ write: (line) => lines.push(line) })
    .child(fields)
    .info(fields, 'text');
  expect(JSON.parse(lines.join(''))).toMatchObject({ message: 'text', good: 1, bad: '[not readable]' });
});
