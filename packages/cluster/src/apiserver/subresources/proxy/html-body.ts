import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { deflateRaw, gunzip, gzip, inflateRaw, type ZlibOptions } from 'node:zlib';
import { rewriteLinks } from './html-links.ts';

type Step = (bytes: Uint8Array) => Promise<Uint8Array>;

/** Bytes of a page, packed or not, above which it is passed on as it is. */
const largest = 16 * 1024 * 1024;

const bounded: ZlibOptions = { maxOutputLength: largest };
const unpack = (how: typeof gunzip): Step => {
  const run = promisify<Uint8Array, ZlibOptions, Buffer>(how);
  return (bytes) => run(bytes, bounded);
};
const same: Step = async (bytes) => bytes;

const codings: Readonly<Record<string, { readonly read: Step; readonly write: Step }>> = {
  gzip: { read: unpack(gunzip), write: promisify<Uint8Array, Buffer>(gzip) },
  deflate: { read: unpack(inflateRaw), write: promisify<Uint8Array, Buffer>(deflateRaw) },
};

/** A page with its links rewritten, in the same coding. It is read to its end first. What cannot be read is passed on as it is. */
export async function* htmlBody(
  body: Readable,
  coding: string,
  rewrite: (link: string) => string,
): AsyncGenerator<Uint8Array> {
  const { read, write } = codings[coding] ?? { read: same, write: same };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    chunks.push(chunk as Buffer);
    if (size > largest) yield* chunks.splice(0);
  }
  const bytes = Buffer.concat(chunks);
  if (size > largest) return yield bytes;
  let html: string;
  try {
    html = Buffer.from(await read(bytes)).toString();
  } catch {
    return yield bytes;
  }
  yield await write(Buffer.from(rewriteLinks(html, rewrite)));
}
