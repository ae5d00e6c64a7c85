import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endsWithParent } from '@coxswain/testing/processes';
import { expect, test } from 'vitest';

const script = (program: string) =>
  `import { run } from ${JSON.stringify(new URL('./run.ts', import.meta.url).href)};
  console.log('ended with', await run('sh', ['-c', ${JSON.stringify(program)}], { WORD: 'word' }));`;

function start(program: string) {
  const words = endsWithParent(process.execPath, ['--input-type=module', '-e', script(program)]);
  const child = spawn(...words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  // Its output ends when the program it runs has ended, too.
  const over = once(child, 'close').then(([code, signal]) => ({ code, signal, text }));
  return { child, over, begun: once(child.stdout, 'data') };
}

test('what ends it ends the program that it runs, which may end in order', async () => {
  const { child, over, begun } = start('trap "echo in order; exit 0" TERM; echo begun; while :; do sleep 0.01; done');
  await begun;
  child.kill('SIGTERM');
  expect(await over).toEqual({ code: 143, signal: null, text: 'begun\nin order\n' });
});

test('a program does not outlive what runs it', async () => {
  const { child, over, begun } = start('trap "" TERM; echo begun; while :; do sleep 0.01; done');
  await begun;
  child.kill('SIGKILL');
  expect(await over).toEqual({ code: null, signal: 'SIGKILL', text: 'begun\n' });
});

test('it answers how the program ended', async () => {
  expect((await start('echo $WORD; exit 7').over).text).toBe('word\nended with 7\n');
});
