import { badRequest } from '@coxswain/runtime/core';
import { duplicateFields } from './duplicates.ts';
import { bareMediaType } from './media-type.ts';
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
  throw unsupportedMediaType(['application/json', 'application/yaml']);
}

function decodeJson(text: string): DecodedBody {
  try {
    const body: unknown = JSON.parse(text);
    return { body, duplicates: duplicateFields(text, body) };
  } catch (error) {
    throw badRequest(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function decodeYaml(text: string): Promise<DecodedBody> {
  // Clients that apply mostly send JSON, which is YAML too.
  if (text.trimStart().startsWith('{')) {
    try {
      const body: unknown = JSON.parse(text);
      return { body, duplicates: duplicateFields(text, body) };
    } catch {
      // A flow mapping that is not JSON: read it as YAML.
    }
  }
  const { parseYaml } = await import('./yaml.ts');
  return parseYaml(text);
}
