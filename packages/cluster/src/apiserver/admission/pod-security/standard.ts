import type { FieldError } from '@coxswain/schema';
import { invalidValue } from '../../builtin/shared/errors.ts';

const levels = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof levels)[number];

/** A Pod Security Standard. */
export interface Standard {
  readonly level: Level;
  /** `latest` or `v1.37`. */
  readonly version: string;
}

/** What a namespace demands of its pods. */
export interface NamespacePolicy {
  readonly enforce: Standard;
  readonly audit: Standard;
  readonly warn: Standard;
}

type Mode = keyof NamespacePolicy;
type Labels = Readonly<Record<string, string>>;

export const prefix = 'pod-security.kubernetes.io/';

export const shown = ({ level, version }: Standard): string => `${level}:${version}`;
export const isSame = (a: Standard, b: Standard): boolean => shown(a) === shown(b);
/** Above 0 when `a` demands more. */
export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

const isLevel = (text: string): text is Level => (levels as readonly string[]).includes(text);
const isVersion = (text: string): boolean => text === 'latest' || /^v1\.(0|[1-9][0-9]*)$/.test(text);

const problem = (label: string, value: string, detail: string): FieldError =>
  invalidValue(`metadata.labels[${label}]`, value, detail);

/** What one mode demands. What cannot be read is `restricted` when it is enforced, else `privileged`; and it is told. */
function standardOf(labels: Labels, mode: Mode, errors: FieldError[]): Standard {
  const level = labels[`${prefix}${mode}`] ?? 'privileged';
  const version = labels[`${prefix}${mode}-version`] ?? 'latest';
  const known = isLevel(level);
  if (!known) errors.push(problem(`${prefix}${mode}`, level, `must be one of ${levels.join(', ')}`));
  if (!isVersion(version)) errors.push(problem(`${prefix}${mode}-version`, version, 'must be "latest" or "v1.x"'));
  const fallback = mode === 'enforce' ? 'restricted' : 'privileged';
  return { level: known ? level : fallback, version: isVersion(version) ? version : 'latest' };
}

/** Reads the labels of a namespace. There is always a policy, even when some of them are wrong. */
export function policyOf(labels: Labels): { readonly policy: NamespacePolicy; readonly errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const enforce = standardOf(labels, 'enforce', errors);
  const audit = standardOf(labels, 'audit', errors);
  let warn = standardOf(labels, 'warn', errors);
  const given = labels[`${prefix}enforce`];
  // Who enforces is warned of the same, where nothing else is said.
  if (labels[`${prefix}warn`] === undefined && given !== undefined && isLevel(given)) {
    if (compareLevels(enforce.level, warn.level) > 0) {
      const { version } = labels[`${prefix}warn-version`] === undefined ? enforce : warn;
      warn = { level: enforce.level, version };
    }
  }
  return { policy: { enforce, audit, warn }, errors };
}
