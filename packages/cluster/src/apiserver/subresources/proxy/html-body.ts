import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { deflateRaw, gunzip, gzip, inflateRaw } from 'node:zlib';
import { rewriteLinks } from './html-links.ts';

type Step = (bytes: Uint8Array) => Promise<Uint8Array>;

const codings: Readonly<Record<string, { readonly read: Step; readonly write: Step }>> = {
  '': { read: async (bytes) => bytes, write: async (bytes) => bytes },
  gzip: { read: promisify(gunzip), write: promisify<Uint8Array, Buffer>(gzip) },
  deflate: { read: promisify(inflateRaw), write: promisify<Uint8Array, Buffer>(deflateRaw) },
};

/** Whether links in a body of this coding can be rewritten. */
export function isReadable(coding: string): boolean {
  return Object.hasOwn(codings, coding);
}

/** A page with its links rewritten, in the same coding. It is read to its end first. */
export async function* htmlBody(
  body: Readable,
  coding: string,
  rewrite: (link: string) => string,
): AsyncGenerator<Uint8Array> {
  const { read, write } = codings[coding] ?? codings[''] ?? {};
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  if (!read || !write) return;
  const html = Buffer.from(await read(Buffer.concat(chunks))).toString();
  yield await write(Buffer.from(rewriteLinks(html, rewrite)));
}
