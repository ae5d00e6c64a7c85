import { stringifyJson } from '@coxswain/runtime/client';
import { itemKind } from '../apiserver/index.ts';
import { jsonBytes } from '../storage/index.ts';
import type { OutputFormat } from './media-type.ts';

/** A body as bytes, and what they are. */
export interface Encoded {
  readonly bytes: Buffer;
  readonly format: OutputFormat;
}

/**
 * A body as bytes. Frozen objects, and the items of lists, are serialised once in their life. Answers JSON where the format has
 * no form for the body.
 */
export async function encodeBody(body: unknown, format: OutputFormat, pretty: boolean): Promise<Encoded> {
  if (format === 'protobuf') {
    const { encodeObject, hasMessage } = await import('./protobuf/index.ts');
    if (hasMessage(body)) return { bytes: Buffer.concat(encodeObject(body)), format };
    return { bytes: await textBytes(body, 'json', pretty), format: 'json' };
  }
  return { bytes: await textBytes(body, format, pretty), format };
}

async function textBytes(body: unknown, format: OutputFormat, pretty: boolean): Promise<Buffer> {
  if (format === 'yaml') {
    const { writeYaml } = await import('./yaml.ts');
    return Buffer.from(writeYaml(withUntypedItems(body)));
  }
  if (pretty) return Buffer.from(stringifyJson(withUntypedItems(body), 2));
  return isList(body) ? listBytes(body) : jsonBytes(body);
}

interface ListBody {
  readonly [itemKind]?: string;
  readonly [field: string]: unknown;
  readonly items: readonly unknown[];
}

function isList(body: unknown): body is ListBody {
  return typeof body === 'object' && body !== null && 'items' in body && Array.isArray(body.items) && !('spec' in body);
}

/** A list whose items leave it to the list to say what they are. */
function withUntypedItems(body: unknown): unknown {
  if (!isList(body) || body[itemKind] === undefined) return body;
  const items = body.items.map((item) => {
    const { apiVersion: _version, kind: _kind, ...rest } = item as Readonly<Record<string, unknown>>;
    return rest;
  });
  return { ...body, items };
}

const comma = Buffer.from(',');

const open = Buffer.from('{');

/** Adds an item's bytes, without its `apiVersion` and `kind` where the list says it for all: stored objects begin with the two. */
function withoutType(list: ListBody): (bytes: Buffer, parts: Buffer[]) => void {
  const kind = list[itemKind];
  if (kind === undefined) return (bytes, parts) => parts.push(bytes);
  const apiVersion = list['apiVersion'];
  const type = Buffer.from(`${JSON.stringify({ apiVersion, kind }).slice(0, -1)},`);
  return (bytes, parts) => {
    if (bytes.subarray(0, type.length).equals(type)) parts.push(open, bytes.subarray(type.length));
    else parts.push(bytes);
  };
}

function listBytes(list: ListBody): Buffer {
  const { items, ...rest } = list;
  const head = stringifyJson(rest);
  const parts: Buffer[] = [Buffer.from(`${head.slice(0, -1)}${head === '{}' ? '' : ','}"items":[`)];
  const untyped = withoutType(list);
  items.forEach((item, index) => {
    if (index > 0) parts.push(comma);
    untyped(jsonBytes(item), parts);
  });
  parts.push(Buffer.from(']}'));
  return Buffer.concat(parts);
}
