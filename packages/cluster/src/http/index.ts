/**
 * http: the doors of an embedded API server. `startHttps` serves clients of any language, `inProcessTransport` serves our own
 * without sockets; both call the same handler. Bytes, media types, TLS and credentials are known here, objects and rules are not.
 */
export { anonymous, type TokenAuthenticator } from './authenticate.ts';
export type { ApiHandler } from './handler.ts';
export { inProcessTransport } from './in-process.ts';
export { type KubeconfigOptions, kubeconfigFor } from './kubeconfig.ts';
export { ListenError } from './listen.ts';
export { type HttpsOptions, type HttpsServer, startHttps } from './start-https.ts';
