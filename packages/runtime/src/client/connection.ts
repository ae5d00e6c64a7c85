import type { Impersonation } from './impersonation.ts';

/** What to present to a server, and what to trust it by. Certificates and keys are PEM texts. */
export interface Credentials {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Bearer token. */
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
}

/** Credentials that may change while we run: rotated files, plugins. */
export interface CredentialSource {
  /** As of now. Remembered as long as it is valid, so it may be asked before each request. */
  current(): Promise<Credentials>;
  /** The server refused these (401). @returns whether asking again may answer something else */
  refused(used: Credentials): boolean;
}

/** How to reach one API server. */
export interface Connection {
  /** `https://10.0.0.1:6443`, with a path when the server sits behind one. */
  readonly server: string;
  readonly credentials: CredentialSource;
  /** Name to check the server's certificate against, when it is not the host of `server`. */
  readonly serverName?: string;
  /** Do not check the server's certificate. Anyone between may read and change everything. */
  readonly insecure?: boolean;
  /** `http://`, `https://` or `socks5://`, with a user and password before the host when it wants them. */
  readonly proxy?: string;
  /** Ask for answers as they are: cheaper for both sides when the network between them is fast. */
  readonly disableCompression?: boolean;
  readonly impersonation?: Impersonation;
  /** The context's namespace; `default` when it names none. */
  readonly namespace: string;
}
