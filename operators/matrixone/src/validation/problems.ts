/** A field whose value cannot be worked with. */
export interface Problem {
  /** `spec.volume.size` */
  readonly field: string;
  readonly message: string;
  /** Of a field that is a whole object what of it is in the way. Default: what stands at the field, when it is a plain value. */
  readonly value?: string;
}

/** One sentence of all problems, for a condition. */
export function describeProblems(problems: readonly Problem[]): string {
  return problems.map(({ field, message }) => `${field}: ${message}`).join('; ');
}

/** Runs a parser and turns what it throws into a problem. */
export function parsable(field: string, parse: () => unknown): readonly Problem[] {
  try {
    parse();
    return [];
  } catch (error) {
    return [{ field, message: error instanceof Error ? error.message : String(error) }];
  }
}

/** A problem when a condition does not hold. */
export function unless(holds: boolean, field: string, message: string): readonly Problem[] {
  return holds ? [] : [{ field, message }];
}

/** The same problems below another path: `spec.x` becomes `spec.logService.x`. */
export function below(path: string, problems: readonly Problem[]): readonly Problem[] {
  return problems.map(({ field, message }) => ({ field: field.replace(/^spec(?=\.|$)/, path), message }));
}
