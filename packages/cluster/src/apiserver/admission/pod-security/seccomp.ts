import { objectAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import type { Check, Finding, Judge } from './check.ts';
import { blamed, isWindows, named, nameOf, type PodView, quoted, securityOf, sorted } from './pod-view.ts';

const podAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
const containerPrefix = 'container.seccomp.security.alpha.kubernetes.io/';

/** Before there was a field. */
const byAnnotation: Judge = ({ annotations, containers }) => {
  const allowed = (value: string) =>
    value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');
  const keys = [podAnnotation, ...containers.map((container) => `${containerPrefix}${nameOf(container)}`)];
  const bad = keys.filter((key) => annotations[key] !== undefined && !allowed(annotations[key]));
  if (bad.length === 0) return undefined;
  const shown = sorted(bad.map((key) => `${key}=${JSON.stringify(annotations[key])}`));
  return {
    reason: 'seccompProfile',
    detail: `forbidden annotation${shown.length === 1 ? '' : 's'} ${shown.join(', ')}`,
  };
};

/** `undefined`: none is set. */
function profileType(parent: ReadJson): string | undefined {
  const profile = objectAt(securityOf(parent), 'seccompProfile');
  return profile && textAt(profile, 'type');
}

function isBad(parent: ReadJson): boolean {
  const type = profileType(parent);
  return type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost';
}

function forbidden({ spec, containers }: PodView): Finding | undefined {
  const bad = containers.filter(isBad);
  const who = blamed(isBad(spec), bad.map(nameOf));
  if (who === '') return undefined;
  const values = sorted([spec, ...bad].filter(isBad).map((parent) => profileType(parent) ?? ''));
  return {
    reason: 'seccompProfile',
    detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
}

function missing({ spec, containers }: PodView): Finding | undefined {
  if (profileType(spec) !== undefined) return undefined;
  const silent = containers.filter((container) => profileType(container) === undefined).map(nameOf);
  if (silent.length === 0) return undefined;
  const what = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: 'seccompProfile', detail: `pod or ${named('container', silent)} ${what}` };
}

export const seccompBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { since: 0, judge: byAnnotation },
    { since: 19, judge: forbidden },
  ],
};

const restricted: Judge = (pod) => forbidden(pod) ?? missing(pod);

export const seccompRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  versions: [
    { since: 19, judge: restricted },
    { since: 25, judge: (pod) => (isWindows(pod) ? undefined : restricted(pod)) },
  ],
  overrides: 'seccompProfile_baseline',
};
