/** One entry of an archive. */
export interface TarEntry {
  /** Without a slash at its front. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** What a file holds, where a link leads to, or nothing more: a folder. */
  readonly content: Uint8Array | { readonly link: string } | undefined;
}

const block = 512;

function header({ path, mode, content }: TarEntry): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path}: too long for an archive`);
  const size = content instanceof Uint8Array ? content.byteLength : 0;
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, width: number) =>
    bytes.write(value.toString(8).padStart(width - 1, '0'), at, 'latin1');
  bytes.write(path, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  bytes.write(content === undefined ? '5' : content instanceof Uint8Array ? '0' : '2', 156);
  if (content && !(content instanceof Uint8Array)) bytes.write(content.link, 157);
  bytes.write('ustar\x0000', 257, 'latin1');
  bytes.fill(' ', 148, 156);
  octal(
    bytes.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return bytes;
}

/** An archive in the format that images are made of; everything belongs to root, and is from 1970, so that it is the same each time. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    parts.push(header(entry));
    if (!(entry.content instanceof Uint8Array)) continue;
    parts.push(entry.content, Buffer.alloc((block - (entry.content.byteLength % block)) % block));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}
