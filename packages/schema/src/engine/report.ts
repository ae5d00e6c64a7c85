import { fieldError } from '../field-error.ts';
import type { FieldError } from '../node.ts';
import type { Correlation } from './correlation.ts';

/** One violation before its field has got the caller's prefix. */
interface Problem {
  /** Where, from the root of this validation; undefined for problems that name no field. */
  readonly path: string | undefined;
  /** What tells two problems apart: the same text is reported once. */
  readonly text: string;
  readonly toError: (field: string) => FieldError;
}

/**
 * Collects the violations of one value. It exists only after the quick check has failed, so its cost is that of errors alone.
 * `matches` counts passed checks: among the branches of an `anyOf`, the one with most of them explains the failure.
 */
export class Report {
  readonly path: string;
  /** The value stored before, where the schema lets the two be matched. */
  readonly correlation: Correlation | undefined;
  matches = 0;
  #problems: Problem[] = [];

  constructor(path: string, correlation?: Correlation) {
    this.path = path;
    this.correlation = correlation;
  }

  get valid(): boolean {
    return this.#problems.length === 0;
  }

  /** A report for another schema of the same value. */
  branch(): Report {
    return new Report(this.path, this.correlation);
  }

  merge(other: Report): void {
    for (const problem of other.#problems) this.#add(problem);
    this.matches += other.matches;
  }

  /** Drops what was found but keeps the count of matches: the value is as it was, so nobody is to blame now. */
  forgive(): void {
    this.#problems = [];
  }

  /**
   * A problem of the value at `subject` (default: of this one). `detail` follows it in the server's sentences.
   * `path` is where it is put, as a rule at the subject.
   */
  problem(
    detail: string,
    toError: (field: string, text: string) => FieldError,
    subject = this.path,
    path = subject,
  ): false {
    const text = `${subject} in body ${detail}`;
    this.#add({ path, text, toError: (field) => toError(field, text) });
    return false;
  }

  /** A problem the server reports without a field. */
  unplaced(text: string): false {
    this.#add({ path: undefined, text, toError: (field) => fieldError.invalid(field, '', text) });
    return false;
  }

  /** The errors with `prefix` before their fields. */
  errors(prefix: string): readonly FieldError[] {
    return this.#problems.map(({ path, toError }) => toError(fieldOf(prefix, path ?? '')));
  }

  #add(problem: Problem): void {
    if (!this.#problems.some(({ text }) => text === problem.text)) this.#problems.push(problem);
  }
}

/** An empty field prints as `<nil>`, as the server has it. */
function fieldOf(prefix: string, path: string): string {
  const inner = path.startsWith('.') ? path.slice(1) : path;
  if (inner === '') return prefix === '' ? '<nil>' : prefix;
  return prefix === '' ? inner : `${prefix}.${inner}`;
}
