import type { Clock } from '@coxswain/runtime/core';
import type { BodyText } from '../apiserver/request/body-text.ts';
import { checkNesting, checkValue } from '../apiserver/request/check-value.ts';
import { goJsonFault } from '../apiserver/request/go-json-fault.ts';
import { parseExact } from '../apiserver/request/json-number.ts';
import { duplicateFields } from './duplicates.ts';
import { bareMediaType, protobufType } from './media-type.ts';
import { scanJson } from './scan-json.ts';
import { unsupportedMediaType } from './status.ts';

export interface DecodedBody {
  /** Absent when the bytes could not be read: `text` says why. */
  readonly body?: unknown;
  /** Paths of keys that an object of JSON holds more than once; the last value won. */
  readonly duplicates: readonly string[];
  readonly text: BodyText;
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
 * Reads a request body. What cannot be read is no error yet: the handler may have other objections, which go first, and words of its
 * own. `undefined` when the type is one only the handler can judge: patch types it may not take for a kind.
 * @throws ApiError 415 for types that cannot be read, 400 for values that nothing can be done with
 */
export async function decodeBody(
  bytes: Buffer,
  contentType: string | undefined,
  method: string,
  clock: Clock,
): Promise<DecodedBody | undefined> {
  const type = bareMediaType(contentType);
  if (jsonTypes.has(type)) return decodeJson(bytes);
  if (yamlTypes.has(type)) return decodeYaml(bytes, clock);
  if (method === 'PATCH') return undefined;
  if (type === protobufType) return decodeProtobuf(bytes);
  throw unreadable();
}

const unreadable = () => unsupportedMediaType(['application/json', 'application/yaml', protobufType]);

/** @throws ApiError 415 for types of which no body can be read */
export function checkReadable(contentType: string | undefined): void {
  const type = bareMediaType(contentType);
  if (!jsonTypes.has(type) && !yamlTypes.has(type) && type !== protobufType) throw unreadable();
}

/** Custom resources have no protobuf form: as on the real server, such a body is of a type that may be sent but cannot be read. */
async function decodeProtobuf(bytes: Buffer): Promise<DecodedBody> {
  const { decodeObject, ProtobufError } = await import('./protobuf/index.ts');
  try {
    const body = decodeObject(bytes);
    // Embedded JSON may be as deep and odd as any.
    checkValue(body);
    return { body, duplicates: [], text: { bytes, format: 'protobuf' } };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    return { duplicates: [], text: { bytes, format: 'protobuf', fault: error.message } };
  }
}

function decodeJson(bytes: Buffer): DecodedBody {
  const source = bytes.toString('utf8');
  try {
    return readJson(bytes, source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const fault = `couldn't get version/kind; json parse error: ${goJsonFault(bytes) ?? error.message}`;
    return { duplicates: [], text: { bytes, format: 'json', fault } };
  }
}

/** @throws SyntaxError */
function readJson(bytes: Buffer, source: string): DecodedBody {
  const parsed: unknown = JSON.parse(source);
  const scan = scanJson(source);
  const { literalNumbers } = scan;
  // Before anything follows it with the stack.
  if (literalNumbers) checkNesting(parsed);
  const { value: body, huge } = literalNumbers ? parseExact(source) : { value: parsed };
  checkValue(body);
  const text: BodyText = {
    bytes,
    format: 'json',
    ...(literalNumbers ? { literalNumbers } : {}),
    ...(huge === undefined ? {} : { huge }),
  };
  return { body, duplicates: duplicateFields(source, body, scan), text };
}

async function decodeYaml(bytes: Buffer, clock: Clock): Promise<DecodedBody> {
  const source = bytes.toString('utf8');
  // Clients that apply mostly send JSON, which is YAML too.
  if (source.trimStart().startsWith('{')) {
    try {
      const read = readJson(bytes, source);
      // What is wrong with the text is told in the words for YAML.
      if (read.duplicates.length === 0) return { ...read, text: { bytes, format: 'yaml' } };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      // A flow mapping that is not JSON: read it as YAML.
    }
  }
  const [{ YamlError }, { readYaml }] = await Promise.all([import('./yaml.ts'), import('./read-yaml.ts')]);
  try {
    const { body, repeated } = await readYaml(source, clock);
    checkValue(body);
    return { body, duplicates: [], text: { bytes, format: 'yaml', repeated } };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { duplicates: [], text: { bytes, format: 'yaml', fault: error.message } };
  }
}
