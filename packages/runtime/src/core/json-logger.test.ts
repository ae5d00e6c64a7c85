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
  expect(lines[1]).toMatchObject({ circle: { n: '1', self: '[circular]' } });
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

test('an error is written with what it came from, and with all that it stands for', () => {
  const { lines, log } = collected();
  const root = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const several = new AggregateError([root, new Error('timed out')], 'no address answered');
  log.error({ err: new Error('cannot list', { cause: several }) }, 'a');
  expect(lines[0]).toMatchObject({
    err: {
      message: 'cannot list',
      cause: {
        name: 'AggregateError',
        message: 'no address answered',
        errors: [{ message: 'refused', code: 'ECONNREFUSED' }, { message: 'timed out' }],
      },
    },
  });
});

test('a cause that is no error is written too', () => {
  const { lines, log } = collected();
  log.error({ err: new Error('a', { cause: { status: 503 } }) }, 'a');
  expect(lines[0]).toMatchObject({ err: { cause: { status: 503 } } });
});

test('a line ends, whatever its errors hold', () => {
  const { lines, log } = collected();
  const first = new Error('first');
  first.cause = new Error('second', { cause: first });
  let deep = new Error('0');
  for (let i = 1; i < 5_000; i++) deep = new Error(`${i}`, { cause: deep });
  const wide = new AggregateError(
    Array.from({ length: 5_000 }, (_, i) => new Error(`part ${i}`)),
    'wide',
  );
  const nested = new AggregateError(Array(100).fill(new AggregateError(Array(100).fill(wide), 'b')), 'c');
  const long = new Error('x'.repeat(10_000_000));
  log.error({ first, deep, wide, nested, long, last: 1 }, 'm');
  expect(lines[0]).toMatchObject({ message: 'm', first: { message: 'first', cause: { cause: '[circular]' } } });
  expect(lines[0]).toMatchObject({ deep: { message: '4999', cause: { message: '4998' } } });
  expect(lines[0]).toMatchObject({ wide: { moreErrors: 4_990 } });
  expect(JSON.stringify(lines[0]).length).toBeLessThan(400_000);
});
