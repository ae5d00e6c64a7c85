/** A block of a PEM text. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const block = /^-----BEGIN ([^\r\n]*)-----[ \t]*\r?\n([\s\S]*?)^-----END \1-----[ \t]*$/gm;
const header = /^[^\r\n:]+:[^\r\n]*\r?\n/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

function parse(type: string, inner: string): PemBlock | undefined {
  let body = inner;
  while (header.test(body)) body = body.replace(header, '');
  const text = body.replace(/\s+/g, '');
  if (!base64.test(text) || text.length % 4 !== 0) return undefined;
  return { type, hasHeaders: body !== inner, bytes: Buffer.from(text, 'base64') };
}

/** The blocks of a PEM text in order. What stands around and between them, and what is no block, is passed over. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const [, type = '', inner = ''] of text.matchAll(block)) {
    const found = parse(type, inner);
    if (found) blocks.push(found);
  }
  return blocks;
}
