import type { OutgoingHttpHeaders } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { http2 } from '../late-modules.ts';
import { type HttpReply, type HttpRequest, stallLimit } from './http-message.ts';

/** @param socket the connection itself: what the stream shows of it is a stand-in */
export function http2Request(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  socket: Socket,
): HttpRequest {
  const { ':method': method = '', ':path': url = '/' } = headers;
  return { method, url, headers, rawHeaders, socket, hasBody: !stream.endAfterHeaders, body: stream };
}

/** Of one connection, not of an answer (RFC 9113 §8.2.2). */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);

export function http2Reply(stream: ServerHttp2Stream): HttpReply {
  const kept: OutgoingHttpHeaders = {};
  return {
    body: stream,
    get isGone() {
      return isGone(stream);
    },
    onClose: (listener) => {
      // Node ends the stream of a client that left, and its end is then no sign of an answer.
      stream.once('aborted', () => listener(false));
      stream.once('close', () => {
        if (!stream.aborted) listener(stream.writableFinished);
      });
    },
    setHeader: (name, value) => {
      kept[name.toLowerCase()] = value;
    },
    writeHead: (code, headers = {}) => {
      if (isGone(stream)) return;
      const all: OutgoingHttpHeaders = { ':status': code, ...kept };
      for (const [name, value] of Object.entries(headers)) {
        const key = name.toLowerCase();
        if (!hopByHop.has(key)) all[key] = value;
      }
      stream.respond(all);
    },
    flushHead: () => {},
    endConnection: () => {},
    limitStall: () => void stream.setTimeout(stallLimit, () => stream.close(http2().constants.NGHTTP2_CANCEL)),
    reset: () => stream.close(http2().constants.NGHTTP2_INTERNAL_ERROR),
  };
}

const isGone = (stream: ServerHttp2Stream): boolean => stream.destroyed || stream.closed;
