/** A server, and who asks it. */
export interface TokenKubeconfigOptions {
  /** Of the cluster, the user and the context. */
  readonly name: string;
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  /** PEM of the authority that the server is checked by; absent: the machine's own. */
  readonly ca?: string;
  /** The name that the server's certificate is for; default: that in `server`. */
  readonly serverName?: string;
  /** That the certificate is not checked. Some clients speak to no `http://` without it. Default: false. */
  readonly insecure?: boolean;
  /** Absent: nobody. */
  readonly token?: string | undefined;
}

/** A kubeconfig (YAML) of a user with a bearer token. It holds a secret. */
export function tokenKubeconfig({ name, server, ca, serverName, insecure, token }: TokenKubeconfigOptions): string {
  const named = (key: string, value: object) => [{ name, [key]: value }];
  // JSON is YAML
  return `${JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: named('cluster', {
      server,
      ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
      ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
      ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
    }),
    users: named('user', token === undefined ? {} : { token }),
    contexts: named('context', { cluster: name, user: name }),
    'current-context': name,
  })}\n`;
}
