import { allowances } from './allowed.ts';
import type { Answer } from './types.ts';

/** One place where two answers are not equal. `undefined`: not there. */
export interface Difference {
  /** `body.spec.ports[0].nodePort` */
  readonly path: string;
  readonly real: unknown;
  readonly embedded: unknown;
}

/** Where an answer was given. */
export interface Place {
  readonly area: string;
  readonly scenario: string;
  /** From 1. */
  readonly step: number;
  /** Whether the answers came over a wire. */
  readonly wire: boolean;
  /** `POST /api/v1/namespaces/{ns}/pods` */
  readonly request: string;
}

/** A difference that is known and accepted. What is left out of the place matches everywhere. */
export interface Allowance {
  readonly area?: string;
  readonly scenario?: string;
  /** Numbers of the steps. */
  readonly steps?: readonly number[];
  readonly wire?: boolean;
  /** Of {@link Place.request}. */
  readonly request?: RegExp;
  /** Of {@link Difference.path}. */
  readonly path: RegExp;
  /** Why it is so, and why that is all right. */
  readonly reason: string;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All innermost differences of two JSON values. The order of keys does not count. */
export function differences(real: unknown, embedded: unknown, path: string): Difference[] {
  if (Array.isArray(real) && Array.isArray(embedded)) {
    const length = Math.max(real.length, embedded.length);
    return Array.from({ length }, (_, i) => differences(real[i], embedded[i], `${path}[${i}]`)).flat();
  }
  if (isRecord(real) && isRecord(embedded)) {
    const keys = new Set([...Object.keys(real), ...Object.keys(embedded)]);
    return [...keys].flatMap((key) => differences(real[key], embedded[key], `${path}.${key}`));
  }
  return real === embedded ? [] : [{ path, real, embedded }];
}

/** The differences of two answers; headers count only when both came over a wire. */
export function compareAnswers(real: Answer, embedded: Answer): Difference[] {
  const headers = embedded.headers ? differences(real.headers ?? {}, embedded.headers, 'headers') : [];
  // Without a wire a refusal has no warnings.
  const mute = !embedded.headers && embedded.status >= 400;
  const warnings = mute ? [] : differences(real.warnings ?? [], embedded.warnings ?? [], 'warnings');
  return [
    ...differences(real.status, embedded.status, 'status'),
    ...headers,
    ...warnings,
    ...differences(real.body, embedded.body, 'body'),
  ];
}

/** The allowance that covers a difference, if any. */
export function allowanceFor(place: Place, difference: Difference): Allowance | undefined {
  return allowances.find(
    (one) =>
      (one.area === undefined || one.area === place.area) &&
      (one.scenario === undefined || one.scenario === place.scenario) &&
      (one.steps === undefined || one.steps.includes(place.step)) &&
      (one.wire === undefined || one.wire === place.wire) &&
      (one.request === undefined || one.request.test(place.request)) &&
      one.path.test(difference.path),
  );
}
