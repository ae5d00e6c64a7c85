import { isObject } from '../../builtin/shared/draft.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

const untrusted = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_SIGNATURE_FAILURE',
]);

const dialProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ETIMEDOUT: 'i/o timeout',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
};

const certificateProblem = (why: string): string => `tls: failed to verify certificate: x509: ${why}`;

function namesIn(certificate: unknown): string {
  const names =
    isObject(certificate) && typeof certificate.subjectaltname === 'string' ? certificate.subjectaltname : '';
  return names.replace(/(DNS|IP Address):/g, '');
}

/** Why a connection failed, in the words that users of Kubernetes know. */
export function connectionProblem(error: unknown, { host, port }: Address): string {
  if (!isObject(error)) return String(error);
  const code = String(error.code ?? '');
  const dial = dialProblems[code];
  if (dial) return `dial tcp ${host.includes(':') ? `[${host}]` : host}:${port}: ${dial}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  if (untrusted.has(code)) return certificateProblem('certificate signed by unknown authority');
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return certificateProblem('certificate has expired or is not yet valid');
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const wanted = String(error.host ?? host);
    return certificateProblem(`certificate is valid for ${namesIn(error.cert)}, not ${wanted}`);
  }
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'EPROTO') return 'tls: first record does not look like a TLS handshake';
  return String(error.message ?? code);
}

const statusTexts: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  410: 'the server responded with the status code 410 but did not return more information',
  415: 'the server was unable to respond with a content type that the client supports',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

function statusMessage(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body) && body.kind === 'Status' && typeof body.message === 'string') return body.message;
  } catch {
    // Not JSON: a page or a plain text.
  }
  return undefined;
}

interface HttpAnswer {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

/** What an HTTP status other than success means. */
export function statusProblem({ code, type, text: body }: HttpAnswer): string {
  const own = statusMessage(body);
  if (own !== undefined) return own;
  const text = type === '' || type.startsWith('text/') ? body.trim() : '';
  if (code === 403) return text === '' ? 'forbidden' : text;
  const known = statusTexts[code];
  if (known) return known;
  if (code < 500) return `the server responded with the status code ${code} but did not return more information`;
  return `an error on the server (${JSON.stringify(text || 'unknown')}) has prevented the request from succeeding`;
}

/** A reply that is no JSON. */
export function parseProblem({ code, type, text }: HttpAnswer, error: unknown): string {
  if (text === '') return `0-length response with status code: ${code} and content type: ${type}`;
  const why = error instanceof Error ? error.message : String(error);
  return `couldn't get version/kind; json parse error: ${why}`;
}
