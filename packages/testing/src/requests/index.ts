/**
 * requests: what a request to an API server means, read from its method and address. Knows the addresses of Kubernetes; neither
 * bodies nor answers.
 */
export { type RequestMeaning, requestMeaning } from './request-meaning.ts';
