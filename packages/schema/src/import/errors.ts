/** The CRD cannot be written as code. The message says where in it, and why. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  /** Where it is wrong: `spec.versions[0].name`; empty for the whole. */
  readonly path: string;

  constructor(path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`);
    this.path = path;
  }
}
