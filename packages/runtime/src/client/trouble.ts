/** What is known of an error of the network, of TLS or of the HTTP library. */
interface Trouble {
  /** What happened; default: what the error says. */
  readonly said?: string | ((error: NodeJS.ErrnoException) => string);
  readonly remedy?: string;
}

const untrusted: Trouble = {
  said: "the server's certificate is not signed by an authority that is trusted here",
  remedy: "give the cluster's own as certificate-authority in the kubeconfig",
};
const badKeys: Trouble = {
  said: 'the client certificate and its key cannot be used',
  remedy: 'look whether they are PEM and belong together',
};
const unreachable: Trouble = { remedy: 'look whether the network lets connections through to it' };
const unknownName: Trouble = { remedy: 'look whether the name is right and DNS knows it' };
const closedEarly: Trouble = { said: 'the connection was closed before the answer was complete' };
const outdated: Trouble = { remedy: "renew the server's certificate, or look whether this machine's clock is right" };

const troubles: Readonly<Record<string, Trouble>> = {
  ECONNREFUSED: { remedy: 'look whether it runs, and whether the address is right' },
  ENOTFOUND: unknownName,
  EAI_AGAIN: unknownName,
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ECONNRESET: closedEarly,
  EPIPE: closedEarly,
  UND_ERR_CONNECT_TIMEOUT: { said: 'no connection came about in time', ...unreachable },
  UND_ERR_SOCKET: closedEarly,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: closedEarly,
  UND_ERR_BODY_TIMEOUT: { said: 'the connection fell silent for too long' },
  UND_ERR_HEADERS_OVERFLOW: { said: 'the headers of the answer are too long' },
  UND_ERR_INVALID_ARG: { said: ({ message }) => `the request cannot be sent: ${message}` },
  UND_ERR_ABORTED: { said: refusedByProxy },
  UND_ERR_PRX_TLS: { said: 'the TLS connection to the proxy failed', remedy: 'look at the address of the proxy' },
  UND_ERR_PRX_CONN: { said: 'the connection to the proxy failed', remedy: 'look at the address of the proxy' },
  HTTPParserError: {
    said: 'what answered does not speak HTTP/1.1',
    remedy: 'look whether the address is that of an API server',
  },
  SyntaxError: { said: ({ message }) => `the answer is not JSON: ${message}` },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    said: 'what answered does not speak TLS',
    remedy: 'look whether the address should begin with http:// (of a proxy, too)',
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: { said: "the server's certificate has expired", ...outdated },
  CERT_NOT_YET_VALID: { said: "the server's certificate is not valid yet", ...outdated },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    said: (error) => `the server's certificate is for another name (${(error as { reason?: string }).reason ?? ''})`,
    remedy: 'connect by one of its names, or set tls-server-name in the kubeconfig',
  },
};

/** Codes by how they begin, for those of which there are many. */
const families: readonly (readonly [prefix: string, trouble: Trouble])[] = [
  ['ERR_OSSL_', badKeys],
  ['ERR_SSL_', { said: tlsFailed, remedy: 'look whether the server accepts the client certificate' }],
  ['UND_ERR_SOCKS5', { said: ({ message }) => `the SOCKS5 proxy did not let it through: ${message}` }],
  ['UND_ERR', { said: ({ message }) => `the connection failed: ${message}` }],
  ['Z_', { said: 'the compressed answer is garbled' }],
];

/**
 * What happened to a request that has no answer, and what can be done about it, as one line. Codes of the system and of TLS, which can be
 * looked up, are in it; those of the HTTP library are not.
 */
export function troubleOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  const { said = message || 'no connection came about', remedy } = troubleFor(code ?? name);
  const what = (typeof said === 'function' ? said(error as NodeJS.ErrnoException) : said).replace(/\s+/g, ' ').trim();
  const isTheirs = code === undefined || code.startsWith('UND_ERR') || code.startsWith('HPE_');
  const named = isTheirs || what.includes(code) ? what : `${what} (${code})`.trim();
  return remedy ? `${named}; ${remedy}` : named;
}

function troubleFor(key: string): Trouble {
  if (key.startsWith('HPE_')) return troubles.HTTPParserError ?? {};
  return troubles[key] ?? families.find(([prefix]) => key.startsWith(prefix))?.[1] ?? {};
}

function refusedByProxy({ message }: Error): string {
  const status = /Proxy response \((\d+)\)/.exec(message)?.[1];
  if (status === undefined) return closedEarly.said as string;
  const remedy = status === '407' ? '; it wants a user and a password: http://USER:PASSWORD@PROXY' : '';
  return `the proxy refused to connect to it (HTTP ${status})${remedy}`;
}

/** OpenSSL's texts name its own source files. */
function tlsFailed({ message }: Error): string {
  const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1];
  return `the TLS handshake failed${reason ? `: ${reason}` : ''}`;
}
