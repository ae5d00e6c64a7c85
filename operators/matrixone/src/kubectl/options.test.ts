import { expect, test } from 'vitest';
import { runPlugin } from './run-plugin.ts';

async function run(words: string): Promise<{ code: number; out: string; notes: string[] }> {
  let out = '';
  const notes: string[] = [];
  const write = (text: string) => {
    out += text;
  };
  const screen = { isTTY: false, colour: false, rows: 24, columns: 80, write };
  const env = { KUBECONFIG: 'missing/config' };
  const code = await runPlugin({
    words: words.split(' ').filter(Boolean),
    env,
    screen,
    note: (line) => notes.push(line),
  });
  return { code, out, notes };
}

test.each([
  ['statsu', /there is no command "statsu"; there are: status, drain/],
  ['status --wiide', /Unknown option '--wiide'/],
  ['status -n', /argument missing/],
  ['-n prod status', /"-n" comes too early: kubectl mo COMMAND/],
  ['constructor', /there is no command/],
])('"%s" is a wrong command line', async (words, message) => {
  const { code, notes, out } = await run(words);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(notes.join()).toMatch(message);
});

test('help and version need no cluster', async () => {
  expect(await run('version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  const all = await run('');
  expect(all).toMatchObject({ code: 0, out: expect.stringContaining('confirm-failover') });
  expect(await run('--help')).toEqual(all);
  const one = await run('logs --help');
  expect(one).toMatchObject({ code: 0, out: expect.stringContaining('-f, --follow') });
  expect(one.out).toContain('-n, --namespace NAME');
});

test('without a cluster it says what it looked for', async () => {
  const { code, notes } = await run('status');
  expect(code).toBe(1);
  expect(notes.join()).toMatch(/^error: cannot read kubeconfig missing\/config/);
});
