/**
 * An error of an expression at run time: data, not a bug, so it carries no stack. `&&`, `||` and the quantifiers
 * absorb it when the other side decides.
 */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }

  toString(): string {
    return this.message;
  }
}

/** The evaluation was stopped, as by its cost. Nothing absorbs it. */
export class CelCancelled {
  readonly message = 'operation cancelled: actual cost limit exceeded';
}

export function noSuchOverload(): CelError {
  return new CelError('no such overload');
}
