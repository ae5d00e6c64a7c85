import { parseResourcePath } from '../apiserver/index.ts';

const likely = /\/(exec|attach|portforward|proxy)(\/|$)/;

/**
 * Whether a path leads through the server to something else: the body of such a request is not the server's to read, and the answer may
 * take as long as it likes.
 */
export function leadsOut(path: string): boolean {
  return likely.test(path) && likely.test(`/${parseResourcePath(path)?.subresource ?? ''}`);
}
