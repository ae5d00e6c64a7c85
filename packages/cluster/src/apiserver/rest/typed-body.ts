import type { MutableJson } from '@coxswain/k8s';
import { stringifyJson } from '@coxswain/runtime/client';
import { badRequest } from '@coxswain/runtime/core';
import { definitionOf, faultOf, isRegistered, settled } from '../go-types/index.ts';
import { summaryOf } from '../request/body-text.ts';
import { parseLiterally } from '../request/json-number.ts';
import type { ApiRequest } from '../types.ts';
import { isObject } from './clone.ts';

/** The kind a body is to be read as. */
export interface WantedKind {
  readonly group: string;
  /** `apps/v1` */
  readonly apiVersion: string;
  readonly kind: string;
}

/** What a request says in its body. */
export type BodyOfRequest = Pick<ApiRequest, 'body' | 'text' | 'contentType'>;

/** What a body says it is. */
interface Interpreted {
  /** `{}` for a body of `null`. */
  readonly body: MutableJson;
  /** Empty when it does not say. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** The decoder's complaint about a body that does not even say what it is. */
export class Unrecognized extends Error {}

const parseError = "couldn't get version/kind; json parse error: ";
const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Type and kind of a request's body. @throws Unrecognized */
export function interpret(request: BodyOfRequest): Interpreted {
  const fault = request.text ? request.text.fault : emptiness(request);
  if (fault !== undefined) throw new Unrecognized(fault);
  return interpretedBody(request.body);
}

/** Type and kind of a body that could be parsed. @throws Unrecognized */
export function interpretedBody(given: unknown): Interpreted {
  const body = given ?? {};
  const refuse = (value: unknown, target: string): never => {
    throw new Unrecognized(`${parseError}json: cannot unmarshal ${jsonKind(value)} into Go ${target}`);
  };
  if (!isObject(body)) return refuse(body, `value of type ${typeMeta}`);
  for (const field of ['apiVersion', 'kind']) {
    const value = body[field] ?? '';
    if (typeof value !== 'string') refuse(value, `struct field .${field} of type string`);
  }
  const apiVersion = String(body.apiVersion ?? '');
  if (apiVersion.split('/').length > 2) throw new Unrecognized(`unexpected GroupVersion string: ${apiVersion}`);
  return { body, apiVersion, kind: String(body.kind ?? '') };
}

/** Why nothing at all cannot be read; an empty text is a YAML document. */
function emptiness({ body, contentType = '' }: BodyOfRequest): string | undefined {
  if (body !== undefined || contentType.includes('yaml')) return undefined;
  return contentType.includes('protobuf') ? 'empty data' : `${parseError}unexpected end of JSON input`;
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** The refusal of a body that does not say what it is. */
export function unrecognized(request: ApiRequest, kind: string, why: string): Error {
  // What a protobuf envelope is about is known before its content is read.
  if (/^\S+ in version "[^"]*" cannot be handled as a /.test(why)) return badRequest(why);
  const { text, body } = request;
  const bytes = text?.bytes ?? Buffer.from(body === undefined ? '' : stringifyJson(body));
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summaryOf(bytes)})`);
}

/** `ConfigMap in version "v1" cannot be handled as a ConfigMap: …` */
export function notHandled(
  given: { readonly apiVersion: string; readonly kind: string },
  kind: string,
  why: string,
): Error {
  const version = given.apiVersion.slice(given.apiVersion.lastIndexOf('/') + 1);
  return badRequest(`${given.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}

/**
 * The body of a request as an object of a built-in kind. Not a copy.
 * @throws ApiError BadRequest, in the words of the real server's decoder
 */
export function typedBody(request: ApiRequest, wanted: WantedKind): MutableJson {
  const { body, ...type } = asRecognized(request, wanted.kind);
  const given = withDefaults(type, wanted);
  const fault = typeFault(given, wanted);
  const definition = definitionOf(given.apiVersion, given.kind);
  if (fault !== undefined && definition === undefined) throw notHandled(given, wanted.kind, fault);
  const read =
    definition === undefined ? body : readAs(request, definition, body, (why) => notHandled(given, wanted.kind, why));
  if (fault !== undefined) throw notHandled(given, wanted.kind, fault);
  if (given.apiVersion !== wanted.apiVersion) throw otherVersion(given.apiVersion, wanted);
  return read;
}

/** The decoder's complaint about a number that no double holds. */
export function overflow(literal: string): string {
  return `json: cannot unmarshal number ${literal} into Go value of type float64`;
}

/** {@link interpret}, as the request's refusal. @throws ApiError BadRequest */
export function asRecognized(request: ApiRequest, kind: string): Interpreted {
  try {
    return interpret(request);
  } catch (error) {
    if (error instanceof Unrecognized) throw unrecognized(request, kind, error.message);
    throw error;
  }
}

/** What is left out is what is wanted. */
function withDefaults({ apiVersion, kind }: Omit<Interpreted, 'body'>, wanted: WantedKind): Omit<Interpreted, 'body'> {
  return { apiVersion: apiVersion || wanted.apiVersion, kind: kind || wanted.kind };
}

export function otherVersion(given: string, wanted: WantedKind): Error {
  return badRequest(
    `the API version in the data (${given}) does not match the expected API version (${wanted.apiVersion})`,
  );
}

/**
 * The body as a value of a Go type, with its numbers as they are written.
 * @param refuse the error for a body that does not fit
 */
export function readAs(
  { text }: BodyOfRequest,
  definition: string,
  body: MutableJson,
  refuse: (why: string) => Error,
): MutableJson {
  const literal = text?.literalNumbers ? parseLiterally(Buffer.from(text.bytes).toString('utf8')) : undefined;
  const fault = faultOf(definition, literal ?? body);
  if (fault !== undefined) throw refuse(fault);
  return literal === undefined ? body : (settled(definition, literal) as MutableJson);
}

/** Why a type cannot become the wanted one; `undefined` when it can. */
export function typeFault(
  given: { readonly apiVersion: string; readonly kind: string },
  wanted: WantedKind,
): string | undefined {
  const { apiVersion, kind } = given;
  if (kind === wanted.kind && apiVersion === wanted.apiVersion) return undefined;
  if (!isRegistered(apiVersion, kind)) return notRegistered(apiVersion, kind);
  if (kind === wanted.kind) return undefined;
  const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
  return `converting (${version}.${kind}) to (${internalPackage(wanted.group)}.${wanted.kind}): unknown conversion`;
}

/** The place is where the real server's scheme is made; its own build tells it so. */
export function notRegistered(apiVersion: string, kind: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}

/** The Go package of a group's kinds without a version. */
function internalPackage(group: string): string {
  return group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.')[0] ?? group);
}
