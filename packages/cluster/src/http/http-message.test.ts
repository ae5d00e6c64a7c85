import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { http1Reply, isStalled } from './http-message.ts';

test('a silent connection is of no use unless an answer of it is being made', () => {
  const socket = new Socket();
  const reply = () => {
    const response = new ServerResponse(new IncomingMessage(socket));
    const answer = http1Reply(response);
    answer.onClose(() => {});
    return { answer, close: () => response.emit('close') };
  };
  expect(isStalled(socket)).toBe(true);
  const watch = reply();
  const object = reply();
  expect(isStalled(socket)).toBe(false);
  object.answer.limitStall();
  object.close();
  expect(isStalled(socket)).toBe(false);
  watch.close();
  expect(isStalled(socket)).toBe(true);
});
