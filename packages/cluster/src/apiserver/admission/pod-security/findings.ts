import { baselineChecks } from './baseline-checks.ts';
import type { Check, Finding, Judge } from './check.ts';
import type { PodView } from './pod-view.ts';
import { restrictedChecks } from './restricted-checks.ts';
import { type Standard, shown } from './standard.ts';

/** The version this server is of: younger standards are judged by it. */
const newest = 37;

const formOf = ({ versions }: Check, minor: number): Judge | undefined =>
  versions.findLast(({ since }) => since <= minor)?.judge;

function judgesOf({ level, version }: Standard): readonly Judge[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? newest : Math.min(Number(version.slice(3)), newest);
  const restricted = level === 'restricted' ? restrictedChecks.filter((check) => formOf(check, minor)) : [];
  const overridden = new Set(restricted.map(({ overrides }) => overrides));
  const baseline = baselineChecks.filter(({ id }) => !overridden.has(id));
  return [...baseline, ...restricted].flatMap((check) => formOf(check, minor) ?? []);
}

const known = new Map<string, readonly Judge[]>();

/** Everything by which a pod does not keep to a standard. */
export function findingsOf(standard: Standard, pod: PodView): readonly Finding[] {
  const key = shown(standard);
  let judges = known.get(key);
  if (!judges) {
    judges = judgesOf(standard);
    if (known.size < 200) known.set(key, judges);
  }
  return judges.flatMap((judge) => judge(pod) ?? []);
}

/** `host namespaces (hostPID=true), privileged (…)` */
export const detailsOf = (findings: readonly Finding[]): string =>
  findings.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');

export const reasonsOf = (findings: readonly Finding[]): string => findings.map(({ reason }) => reason).join(', ');
