/** A value that does not fit its type. `path` is in the notation of conflicts: `.spec.ports[port=80]`. */
export class TypeMismatch extends Error {
  readonly path: string;
  readonly problem: string;

  constructor(path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`);
    this.name = 'TypeMismatch';
    this.path = path;
    this.problem = problem;
  }
}
