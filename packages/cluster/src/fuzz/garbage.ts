import type { Random } from '@coxswain/runtime/core';
import type { Sample } from './corpus.ts';
import { chance, pick, upTo } from './draw.ts';
import { mutateText } from './mutate-text.ts';

/** What is sent over one connection. */
export interface Garbage {
  readonly protocol: 'http/1.1' | 'h2';
  readonly head: Buffer;
  /** Sent when the server has answered the head, or keeps silent. */
  readonly rest: Buffer;
}

const pod = '/api/v1/namespaces/default/pods/p';
const upgrades: readonly string[] = [
  `GET ${pod}/exec?command=ls&stdin=1&stdout=1`,
  `GET ${pod}/attach?stdout=1&tty=1`,
  `GET ${pod}/portforward?ports=80`,
  `GET ${pod}/log?follow=1`,
  'GET /api/v1/pods?watch=1',
  `POST ${pod}/exec?command=ls&stdin=1&stdout=1`,
  `POST ${pod}/portforward`,
];
const webSocket = [
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: v5.channel.k8s.io, v4.channel.k8s.io, binary.k8s.io',
];
const spdy = ['Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io, portforward.k8s.io'];

/** Headers that two readers of a request may understand differently. */
const oddHeaders: readonly string[] = [
  'Content-Length: 4',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length : 4',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: xchunked',
  'Expect: 100-continue',
  'Expect: nothing',
  'X: a\r\n folded',
  'X: a\nY: b',
  'Host: two',
  'Connection: close, upgrade',
  'Content-Encoding: gzip',
  ': empty',
];

function bytes(length: number, random: Random): Buffer {
  return Buffer.from(Array.from({ length }, () => upTo(256, random)));
}

/** A request as text, with headers that do not fit together, and what could be a second one behind it. */
function odd({ method, path }: Sample, random: Random): Buffer {
  const headers = Array.from({ length: upTo(4, random) }, () => pick(oddHeaders, random));
  const text = [`${method} ${path} HTTP/1.${upTo(3, random)}`, 'Host: x', ...headers, '', '{"a":1}'].join('\r\n');
  const whole = chance(0.5, random) ? mutateText(text, random) : text;
  return Buffer.from(`${whole}\r\n0\r\n\r\nGET /version HTTP/1.1\r\nHost: x\r\n\r\n`);
}

/** Frames with heads that say something and bodies that need not. */
function frames(random: Random, head: (length: number) => Buffer): Buffer {
  const parts = Array.from({ length: 1 + upTo(8, random) }, () => {
    const body = bytes(upTo(chance(0.1, random) ? 3_000 : 40, random), random);
    return Buffer.concat([head(chance(0.8, random) ? body.length : upTo(2 ** 24, random)), body]);
  });
  return Buffer.concat(parts);
}

function http2Head(length: number, random: Random): Buffer {
  const head = Buffer.from([0, 0, 0, upTo(12, random), pick([0, 1, 4, 5, 8, 32, 255], random), 0, 0, 0, 0]);
  head.writeUIntBE(length, 0, 3);
  head.writeUInt32BE(upTo(6, random), 5);
  return head;
}

function spdyHead(length: number, random: Random): Buffer {
  const control = chance(0.8, random);
  const head = Buffer.from([control ? 0x80 : 0, 3, 0, upTo(11, random), upTo(4, random), 0, 0, 0]);
  head.writeUIntBE(length, 5, 3);
  return head;
}

function webSocketHead(length: number, random: Random): Buffer {
  const first = pick([0, 1, 2, 8, 9, 10, 3, 0x80, 0x81, 0x82, 0x88, 0x89, 0x8a, 0xff], random);
  const mask = chance(0.9, random) ? 0x80 : 0;
  if (length < 126) return Buffer.from([first, mask | length, 1, 2, 3, 4]);
  return Buffer.concat([Buffer.from([first, mask | 126, (length >> 8) & 255, length & 255]), bytes(4, random)]);
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');

/** Bytes for one connection: odd requests, or broken frames of one of the protocols that are spoken. */
export function garbage(samples: readonly Sample[], random: Random): Garbage {
  const draw = random.next();
  if (draw < 0.3) return { protocol: 'http/1.1', head: odd(pick(samples, random), random), rest: Buffer.alloc(0) };
  if (draw < 0.6) {
    return { protocol: 'h2', head: preface, rest: frames(random, (length) => http2Head(length, random)) };
  }
  const over = chance(0.5, random) ? spdy : webSocket;
  const head = [`${pick(upgrades, random)} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', ...over, '', ''].join('\r\n');
  const frameHead = over === spdy ? spdyHead : webSocketHead;
  return {
    protocol: 'http/1.1',
    head: Buffer.from(head),
    rest: frames(random, (length) => frameHead(length, random)),
  };
}
