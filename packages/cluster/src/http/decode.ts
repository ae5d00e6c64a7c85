import { ApiError, badRequest } from '@coxswain/runtime/core';
import { checkValue } from '../apiserver/request/check-value.ts';
import { duplicateFields } from './duplicates.ts';
import { bareMediaType, protobufType } from './media-type.ts';
import { unsupportedMediaType } from './status.ts';

export interface DecodedBody {
  readonly body: unknown;
  /** Paths of keys that an object of the text holds more than once; the last value won. */
  readonly duplicates: readonly string[];
}

const jsonTypes = new Set([
  '',
  'application/json',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]);
const yamlTypes = new Set(['application/yaml', 'application/apply-patch+yaml']);

/**
 * Reads a request body. `undefined` when the type is one only the handler can judge: patch types it may not take for a kind.
 * @throws ApiError 400 for broken text, 415 for types that cannot be read
 */
export async function decodeBody(
  bytes: Buffer,
  contentType: string | undefined,
  method: string,
): Promise<DecodedBody | undefined> {
  const type = bareMediaType(contentType);
  if (jsonTypes.has(type)) return decodeJson(bytes.toString('utf8'));
  if (yamlTypes.has(type)) return decodeYaml(bytes.toString('utf8'));
  if (method === 'PATCH') return undefined;
  if (type === protobufType) return decodeProtobuf(bytes);
  throw unsupportedMediaType(['application/json', 'application/yaml', protobufType]);
}

/** Custom resources have no protobuf form: as on the real server, such a body is of a type that may be sent but cannot be read. */
async function decodeProtobuf(bytes: Buffer): Promise<DecodedBody> {
  const { decodeObject, ProtobufError } = await import('./protobuf/index.ts');
  try {
    const body = decodeObject(bytes);
    // Embedded JSON may be as deep and odd as any.
    checkValue(body);
    return { body, duplicates: [] };
  } catch (error) {
    throw error instanceof ProtobufError ? badRequest(error.message) : error;
  }
}

function decodeJson(text: string): DecodedBody {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(`couldn't get version/kind; json parse error: ${why}`);
  }
  return withDuplicates(text, body);
}

function withDuplicates(text: string, body: unknown): DecodedBody {
  checkValue(body);
  return { body, duplicates: duplicateFields(text, body) };
}

async function decodeYaml(text: string): Promise<DecodedBody> {
  // Clients that apply mostly send JSON, which is YAML too.
  if (text.trimStart().startsWith('{')) {
    try {
      return withDuplicates(text, JSON.parse(text));
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // A flow mapping that is not JSON: read it as YAML.
    }
  }
  const { parseYaml } = await import('./yaml.ts');
  const decoded = parseYaml(text);
  checkValue(decoded.body);
  return decoded;
}
