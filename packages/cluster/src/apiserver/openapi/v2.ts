import { emulatedVersion } from '../discovery/version.ts';
import type { ApiRequest, ApiResponse, NonResourceRoute } from '../types.ts';

const v2Path = '/openapi/v2';

const title = 'Kubernetes';
const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** What clients ask for: the same, and its older name, which is no valid media type and so is never answered. */
const asked = [protobuf, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'];

/** A length-delimited field of a protobuf message. Texts are ASCII and shorter than 128, so a length is one byte. */
function field(number: number, text: string): string {
  return String.fromCharCode((number << 3) | 2, text.length) + text;
}

/** The same document in protobuf: `swagger` is field 1, `info` field 2 (`title` 1, `version` 2), `paths` field 8. */
function protobufDocument(): string {
  const info = field(1, title) + field(2, `v${emulatedVersion}`);
  return field(1, '2.0') + field(2, info) + field(8, '');
}

function jsonDocument(): object {
  return { swagger: '2.0', info: { title, version: `v${emulatedVersion}` }, paths: {} };
}

function answer({ accept = '' }: ApiRequest): ApiResponse {
  const wantsProtobuf = accept.split(',').some((range) => asked.includes(range.split(';')[0]?.trim() ?? ''));
  if (!wantsProtobuf) return { kind: 'object', code: 200, body: jsonDocument(), headers: { Vary: 'Accept' } };
  return {
    kind: 'text',
    code: 200,
    body: protobufDocument(),
    headers: { 'Content-Type': protobuf, Vary: 'Accept' },
  };
}

/**
 * OpenAPI v2 without a word about any kind. Clients read v3; kubectl falls back to v2 for a kind v3 does not have, and takes its being
 * there as the sign of a server that validates by itself (`spec/embedded.md` §1.2).
 */
export const openApiV2Route: NonResourceRoute = { match: (path) => path === v2Path, handle: answer };
