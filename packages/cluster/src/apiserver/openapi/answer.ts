import type { ApiRequest, ApiResponse } from '../types.ts';
import { negotiateDocument, protobufType } from './negotiate.ts';
import { bytesOf, type Message } from './protobuf.ts';

/** A document that is made when it is asked for. What was made last stays as long as nobody needs the memory. */
export class LazyDocument {
  readonly hash: string;
  readonly #make: () => object;
  #made: WeakRef<object> | undefined;

  constructor(hash: string, make: () => object) {
    this.hash = hash;
    this.#make = make;
  }

  get(): object {
    let document = this.#made?.deref();
    if (!document) {
      document = this.#make();
      this.#made = new WeakRef(document);
    }
    return document;
  }
}

async function* chunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

interface Form {
  readonly version: 'v2' | 'v3';
  readonly encode: () => Promise<Message>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The document in the form that the client takes, or 406. */
export async function answerWith(
  { accept }: ApiRequest,
  document: LazyDocument,
  { version, encode, headers }: Form,
): Promise<ApiResponse> {
  const format = negotiateDocument(accept, version);
  const vary = { Vary: headers.Vary ?? 'Accept' };
  if (format === undefined) return { kind: 'text', code: 406, body: '', headers: vary };
  const all = { ...headers, ...vary, ETag: `"${document.hash}"` };
  if (format === 'json') {
    return { kind: 'object', code: 200, body: document.get(), headers: { 'Content-Type': 'application/json', ...all } };
  }
  const bytes = bytesOf(await encode(), document.get());
  const typed = { 'Content-Type': protobufType(version), 'Content-Length': String(bytes.length), ...all };
  return { kind: 'bytes', code: 200, body: chunk(bytes), headers: typed };
}
