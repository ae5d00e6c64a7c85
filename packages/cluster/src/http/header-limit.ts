/** Bytes of the head of a request: the same as the real server's, for HTTP/1.1 and HTTP/2. */
export const headerLimit = 1024 * 1024;
