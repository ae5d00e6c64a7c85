import { protobufTable } from '@coxswain/k8s/protobuf';
import { envelope, openEnvelope } from './envelope.ts';
import { ProtobufError } from './errors.ts';
import { decodeMessage, encodeMessage } from './messages.ts';
import { messageOf } from './names.ts';
import { wire } from './reader.ts';
import { ReverseWriter } from './writer.ts';

interface TypedObject {
  readonly [field: string]: unknown;
  readonly apiVersion: string;
  readonly kind: string;
}

/** Whether a body is an object with a message of its own. */
export function hasMessage(body: unknown): body is TypedObject {
  if (typeof body !== 'object' || body === null) return false;
  const { apiVersion, kind } = body as Partial<TypedObject>;
  // Discovery of the core group does not say its apiVersion.
  return typeof kind === 'string' && messageOf(apiVersion ?? '', kind) !== undefined;
}

/** An enveloped object as JSON. @throws ProtobufError */
export function decodeObject(bytes: Buffer): unknown {
  const { apiVersion, kind, raw } = openEnvelope(bytes);
  if (kind === '') throw new ProtobufError("Object 'Kind' is missing in the protobuf envelope");
  if (apiVersion === '') throw new ProtobufError("Object 'apiVersion' is missing in the protobuf envelope");
  const message = messageOf(apiVersion, kind);
  if (message === undefined) throw undecodable(apiVersion, kind, whyUnknown(apiVersion, kind));
  try {
    return { apiVersion, kind, ...(decodeMessage(message, raw) as object) };
  } catch (error) {
    throw error instanceof ProtobufError ? undecodable(apiVersion, kind, error.message) : error;
  }
}

function undecodable(apiVersion: string, kind: string, why: string): ProtobufError {
  const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
  return new ProtobufError(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}

/** The real server reads custom resources into a Go type of this name; clients know the sentence. */
function whyUnknown(apiVersion: string, kind: string): string {
  return Object.hasOwn(protobufTable().groups, apiVersion)
    ? `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`
    : 'object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message';
}

const contents = new WeakMap<object, Buffer>();
/** The same with their envelopes around; the contents are views of these where there are both. */
const wholes = new WeakMap<object, Buffer>();

/** The content of a message. Of frozen objects it is made once and kept as long as the object lives. */
function contentOf(message: string, value: unknown): Buffer {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return encodeMessage(message, value);
  let bytes = contents.get(value);
  if (!bytes) {
    bytes = encodeMessage(message, value);
    contents.set(value, bytes);
  }
  return bytes;
}

/** Message of the items, when this is the message of a list of objects. */
function itemMessage(message: string): string | undefined {
  const fields = protobufTable().messages[message];
  const items =
    Array.isArray(fields) && message.endsWith('List') ? fields.find(([json]) => json === 'items') : undefined;
  if (items?.[1] !== 2 || fields?.length !== 2) return undefined;
  return items[2].includes('.') ? items[2] : `${message.slice(0, message.lastIndexOf('.'))}.${items[2]}`;
}

/** A list, item by item, so that each is made once in its life. */
function listContent(message: string, item: string, { items, ...rest }: TypedObject): Buffer[] {
  const parts = [encodeMessage(message, rest)];
  for (const object of Array.isArray(items) ? items : []) {
    const content = contentOf(item, object);
    const writer = new ReverseWriter(16);
    writer.uint(content.length);
    writer.uint(2 * 8 + wire.bytes);
    parts.push(writer.take(), content);
  }
  return parts;
}

/**
 * An object of a built-in kind, or a list of such, with its envelope: parts to be written one after the other. They are shared
 * and must not be written to.
 */
export function encodeObject(object: TypedObject): Buffer[] {
  const { apiVersion = '', kind } = object;
  const message = messageOf(apiVersion, kind);
  if (message === undefined) throw new Error(`${kind} of ${apiVersion} has no protobuf form`);
  const item = itemMessage(message);
  if (item) return envelope({ apiVersion, kind }, listContent(message, item, object));
  const known = wholes.get(object);
  if (known) return [known];
  const content = contentOf(message, object);
  const parts = envelope({ apiVersion, kind }, [content]);
  const whole = Buffer.concat(parts);
  if (Object.isFrozen(object)) {
    const start = parts[0]?.length ?? 0;
    wholes.set(object, whole);
    contents.set(object, whole.subarray(start, start + content.length));
  }
  return [whole];
}

/** Bytes of an object's content when they were made already. */
export function knownSize(object: object): number | undefined {
  return contents.get(object)?.length;
}
