import type { Client } from '@coxswain/runtime/client';
import { parseTime } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { ContainerLog, type LogStart } from './container-log.ts';

/** A kubelet with one container. Like the real one it begins at whole seconds, and with the last lines where it shall. */
class Kubelet {
  lines: string[] = [];
  previous: string[] = [];
  readonly client = {
    raw: async ({ query = {} }: { readonly query?: Readonly<Record<string, string>> }) => {
      const all = query['previous'] ? this.previous : this.lines;
      const since = query['sinceTime'] === undefined ? 0 : parseTime(query['sinceTime']);
      const young = all.filter((line) => parseTime(line.split(' ')[0] ?? '') >= since);
      const tail = query['tailLines'];
      const last = tail === undefined ? young : young.slice(young.length - Math.min(young.length, Number(tail)));
      return last.map((line) => `${line}\n`).join('');
    },
  } as unknown as Client;
}

function logOf(kubelet: Kubelet, start: LogStart = {}) {
  const log = new ContainerLog(kubelet.client, { namespace: 'a', pod: 'p', container: 'main' }, start);
  const { signal } = new AbortController();
  return async (restarts = 0) => (await log.next(restarts, signal)).map(({ text }) => text);
}

const at = (second: number, fraction: string, text: string) => `2026-01-01T00:00:0${second}.${fraction}Z ${text}`;

test('each line is told once, those of one second and those that come out of order included', async () => {
  const kubelet = new Kubelet();
  const next = logOf(kubelet);
  expect(await next()).toEqual([]);
  kubelet.lines.push(at(1, '100000000', 'a'), at(1, '300000000', 'b'));
  expect(await next()).toEqual(['a', 'b']);
  kubelet.lines.push(at(1, '200000000', 'late'), at(1, '300000000', 'c'));
  expect(await next()).toEqual(['late', 'c']);
  kubelet.lines.push(at(2, '000000000', 'd'));
  expect(await next()).toEqual(['d']);
  expect(await next()).toEqual([]);
});

test('what a tail left out stays out, also when it is of the same second', async () => {
  const kubelet = new Kubelet();
  kubelet.lines.push(at(1, '100000000', 'a'), at(1, '200000000', 'b'), at(1, '300000000', 'c'));
  const next = logOf(kubelet, { tail: 1 });
  expect(await next()).toEqual(['c']);
  kubelet.lines.push(at(1, '400000000', 'd'));
  expect(await next()).toEqual(['d']);
});

test('a log that was empty is told whole from then on, whatever the tail', async () => {
  const kubelet = new Kubelet();
  const next = logOf(kubelet, { tail: 1 });
  expect(await next()).toEqual([]);
  kubelet.lines.push(at(1, '1', 'a'), at(1, '2', 'b'));
  expect(await next()).toEqual(['a', 'b']);
});

test('the last words of a container that was started anew come before the first of its successor', async () => {
  const kubelet = new Kubelet();
  kubelet.lines.push(at(1, '1', 'a'));
  const next = logOf(kubelet);
  expect(await next()).toEqual(['a']);
  kubelet.previous = [...kubelet.lines, at(2, '1', 'panic')];
  kubelet.lines = [at(3, '1', 'again')];
  expect(await next(1)).toEqual(['panic', 'again']);
  expect(await next(1)).toEqual([]);
});

test('lines without a time are told as they are', async () => {
  const kubelet = new Kubelet();
  kubelet.client.raw = async () => 'no time here\n';
  expect(await logOf(kubelet)()).toEqual(['no time here']);
});
