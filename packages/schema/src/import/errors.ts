/** The CRD cannot be written as code. The message says where in it, and why. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
