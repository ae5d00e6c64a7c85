import { createReadStream } from 'node:fs';

/** One entry of a tar file. Everything belongs to root and is of the beginning of time, so that the same content is the same bytes. */
export type TarEntry =
  | { readonly path: string; readonly kind: 'file'; readonly mode: number; readonly bytes: Uint8Array }
  /** A file whose bytes are read from the disk when they are written. */
  | {
      readonly path: string;
      readonly kind: 'copy';
      readonly mode: number;
      readonly from: string;
      readonly size: number;
    }
  | { readonly path: string; readonly kind: 'folder'; readonly mode: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string };

const block = 512;
const flags = { file: '0', copy: '0', folder: '5', link: '2', long: 'x' } as const;

function put(header: Buffer, at: number, length: number, text: string): void {
  header.write(text.slice(0, length), at, 'utf8');
}

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;

function header(name: string, flag: string, mode: number, size: number, link: string): Buffer {
  const bytes = Buffer.alloc(block);
  put(bytes, 0, 100, name);
  put(bytes, 100, 8, octal(mode, 8));
  put(bytes, 108, 8, octal(0, 8));
  put(bytes, 116, 8, octal(0, 8));
  put(bytes, 124, 12, octal(size, 12));
  put(bytes, 136, 12, octal(0, 12));
  put(bytes, 148, 8, '        ');
  put(bytes, 156, 1, flag);
  put(bytes, 157, 100, link);
  put(bytes, 257, 8, 'ustar\x0000');
  put(
    bytes,
    148,
    8,
    `${octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
  );
  return bytes;
}

const padding = (size: number) => Buffer.alloc((block - (size % block)) % block);

/** `LENGTH KEY=VALUE\n`, where the length counts itself. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const size = Buffer.byteLength(rest);
  let length = size + 1;
  while (String(length).length + size !== length) length = String(length).length + size;
  return `${length}${rest}`;
}

/** Names that are too long for a header go before it (POSIX pax). */
function longNames(name: string, link: string): Buffer[] {
  const records = [
    ...(Buffer.byteLength(name) > 100 ? [record('path', name)] : []),
    ...(Buffer.byteLength(link) > 100 ? [record('linkpath', link)] : []),
  ];
  if (records.length === 0) return [];
  const body = Buffer.from(records.join(''));
  return [header('PaxHeader', flags.long, 0o644, body.length, ''), body, padding(body.length)];
}

function sizeOf(entry: TarEntry): number {
  return entry.kind === 'file' ? entry.bytes.length : entry.kind === 'copy' ? entry.size : 0;
}

/** What goes before the content of an entry. Paths are relative, with `/` between their parts. */
function tarHead(entry: TarEntry): Buffer {
  const name = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  const link = entry.kind === 'link' ? entry.target : '';
  const mode = entry.kind === 'link' ? 0o777 : entry.mode;
  return Buffer.concat([...longNames(name, link), header(name, flags[entry.kind], mode, sizeOf(entry), link)]);
}

/** The bytes of a tar file with these entries. */
export async function* tarBytes(entries: Iterable<TarEntry>): AsyncGenerator<Buffer, void, undefined> {
  for (const entry of entries) {
    yield tarHead(entry);
    if (entry.kind === 'file') yield Buffer.from(entry.bytes);
    if (entry.kind === 'copy') yield* exactly(entry.from, entry.size);
    yield padding(sizeOf(entry));
  }
  yield tarEnd;
}

/** The bytes of a file, which must be as many as its entry says. */
async function* exactly(from: string, size: number): AsyncGenerator<Buffer, void, undefined> {
  let read = 0;
  for await (const bytes of createReadStream(from)) {
    read += (bytes as Buffer).length;
    yield bytes as Buffer;
  }
  if (read !== size) throw new Error(`${from} has changed while it was read`);
}

/** What a tar file ends with. */
const tarEnd: Buffer = Buffer.alloc(2 * block);
