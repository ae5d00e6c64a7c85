import { stringifyJson } from '@coxswain/runtime/client';
import { itemKind, listText, textBeginning } from '../apiserver/index.ts';
import { jsonBytes } from '../storage/index.ts';
import type { OutputFormat } from './media-type.ts';

/** A body as bytes, in pieces to be joined, and what they are. */
export interface Encoded {
  readonly pieces: readonly Buffer[];
  readonly format: OutputFormat;
}

/**
 * A body as bytes. Frozen objects, and the items of lists, are serialised once in their life. Answers JSON where the format has
 * no form for the body.
 */
export async function encodeBody(body: unknown, format: OutputFormat, pretty: boolean): Promise<Encoded> {
  if (format === 'protobuf') {
    const { encodeObject, hasMessage } = await import('./protobuf/index.ts');
    if (hasMessage(body)) return { pieces: encodeObject(body), format };
    return { pieces: await textPieces(body, 'json', pretty), format: 'json' };
  }
  return { pieces: await textPieces(body, format, pretty), format };
}

async function textPieces(body: unknown, format: OutputFormat, pretty: boolean): Promise<readonly Buffer[]> {
  if (format === 'yaml') {
    const { writeYaml } = await import('./yaml.ts');
    return [Buffer.from(writeYaml(withUntypedItems(body)))];
  }
  if (pretty) return [Buffer.from(stringifyJson(withUntypedItems(body), 2))];
  return isList(body) ? listPieces(body) : [jsonBytes(body)];
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

function listPieces(list: ListBody): readonly Buffer[] {
  const { items, ...rest } = list;
  const kind = list[itemKind];
  const own = stringifyJson(rest);
  const head = `${own.slice(0, -1)}${own === '{}' ? '' : ','}"items":[`;
  return listText(head, items.map(jsonBytes), kind === undefined ? undefined : textBeginning(list['apiVersion'], kind));
}
