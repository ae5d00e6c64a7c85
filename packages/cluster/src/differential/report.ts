import { stringifyJson } from '@coxswain/runtime/client';
import { type Allowance, allowanceFor, compareAnswers, type Difference, type Place } from './compare.ts';
import type { Action, Answer, Area } from './types.ts';

/** Answers by scenario, in the order of the steps; `undefined` where the target could not be asked. */
export type Answers = Readonly<Record<string, readonly (Answer | undefined)[]>>;

export interface Finding extends Difference {
  readonly place: Place;
  readonly allowance?: Allowance;
}

export interface Report {
  /** Requests compared. */
  readonly requests: number;
  /** Of them, without any difference. */
  readonly equal: number;
  /** Of them, with none but allowed differences. */
  readonly allowed: number;
  readonly findings: readonly Finding[];
}

export function requestText(action: Action): string {
  if ('collect' in action) return `events of ${action.collect}`;
  return `${action.method} ${action.path}${action.note === undefined ? '' : ` with ${action.note}`}`;
}

/** Compares all answers of one area. */
export function reportOn(area: Area, real: Answers, embedded: Answers): Report {
  const findings: Finding[] = [];
  let requests = 0;
  let equal = 0;
  let allowed = 0;
  const wire = Object.values(embedded).some((answers) => answers.some((answer) => answer?.headers));
  for (const { title, steps } of area.scenarios) {
    steps.forEach((action, index) => {
      const got = embedded[title]?.[index];
      if (!got) return;
      requests++;
      const place: Place = { area: area.name, scenario: title, step: index + 1, wire, request: requestText(action) };
      const want = real[title]?.[index];
      const found = want ? compareAnswers(want, got) : [{ path: 'answer', real: want, embedded: got }];
      if (found.length === 0) equal++;
      const judged = found.map((difference): Finding => {
        const allowance = allowanceFor(place, difference);
        return { ...difference, place, ...(allowance ? { allowance } : {}) };
      });
      if (found.length > 0 && judged.every(({ allowance }) => allowance)) allowed++;
      findings.push(...judged);
    });
  }
  return { requests, equal, allowed, findings };
}

/** Several reports as one. */
export function joined(reports: readonly Report[]): Report {
  return {
    requests: reports.reduce((sum, one) => sum + one.requests, 0),
    equal: reports.reduce((sum, one) => sum + one.equal, 0),
    allowed: reports.reduce((sum, one) => sum + one.allowed, 0),
    findings: reports.flatMap(({ findings }) => findings),
  };
}

/** `N requests, M equal, K allowed differences`, counted in requests; and how many are neither. */
export function summary({ requests, equal, allowed }: Report): string {
  const open = requests - equal - allowed;
  const more = open === 0 ? '' : `, ${open} NOT equal`;
  return `${requests} requests, ${equal} equal, ${allowed} allowed differences${more}`;
}

/** One finding on a few lines. */
export function findingText({ place, path, real, embedded }: Finding): string {
  const { area, scenario, step, request } = place;
  const show = (value: unknown) => (value === undefined ? '(not there)' : stringifyJson(value));
  return `${area} / ${scenario} / ${step}: ${request}\n  ${path}\n    real     ${show(real)}\n    embedded ${show(embedded)}`;
}
