import type { FieldError } from '../node.ts';

/** What is wrong with a CRD. */
export interface Problem {
  /** `error`: the API server refuses the CRD. `warning`: it takes it, and what was meant does not happen. */
  readonly severity: 'error' | 'warning';
  /** Where in the CRD: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`. */
  readonly field: string;
  /** For errors, the API server's words. */
  readonly message: string;
  /** For rules that can cost too much: the bounds that are missing, as `spec.hosts[*]: maxLength`. */
  readonly addBounds?: readonly string[];
}

/** What the server refuses. */
export function asError({ field, message }: FieldError): Problem {
  return { severity: 'error', field, message };
}
