import { ConnectionError } from '@coxswain/runtime/client';
import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { waitUntil } from './session.ts';

function waiting(answers: readonly (string | undefined | Error)[], timeout = 60_000) {
  const clock = new VirtualClock();
  const notes: string[] = [];
  let i = 0;
  const look = async () => {
    const answer = answers[Math.min(i++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const { signal } = new AbortController();
  const done = waitUntil({ clock, signal, note: (line) => notes.push(line) }, timeout, look);
  done.catch(() => {});
  return { clock, notes, done };
}

test('what is missing is told whenever it changes, also that the server does not answer', async () => {
  const { clock, notes, done } = waiting(['2 left', '2 left', new ConnectionError('reset'), '1 left', undefined]);
  await clock.advance(10_000);
  await done;
  expect(notes).toEqual(['2 left', 'reset', '1 left']);
});

test('when the time is up it says what is missing', async () => {
  const { clock, done } = waiting(['2 left'], 5_000);
  await clock.advance(10_000);
  await expect(done).rejects.toThrow('not within 5s: 2 left');
});

test('what will not pass by itself ends it at once', async () => {
  const { done } = waiting([new Error('broken')]);
  await expect(done).rejects.toThrow('broken');
});
