import { objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes } from '../../types.ts';
import { findingsOf, reasonsOf } from './findings.ts';
import { podView } from './pod-view.ts';
import { compareLevels, isSame, type Standard, shown } from './standard.ts';

/** More pods than that are not looked at. */
const mostPods = 3_000;

/** Pods of the same controller are alike: one of each first. */
function byImportance(pods: readonly ReadJson[]): readonly ReadJson[] {
  const seen = new Set<unknown>();
  const repeated: ReadJson[] = [];
  const first = pods.filter((pod) => {
    const owners = objectsAt(objectAt(pod, 'metadata'), 'ownerReferences');
    const uid = owners.find(({ controller }) => controller === true)?.uid;
    if (uid === undefined) return true;
    if (seen.has(uid)) {
      repeated.push(pod);
      return false;
    }
    seen.add(uid);
    return true;
  });
  return [...first, ...repeated];
}

function others(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' (and 1 other pod)' : ` (and ${count} other pods)`;
}

/** Whether pods that are there already may break what is newly enforced. */
export function isTightened(next: Standard, before: Standard): boolean {
  if (isSame(next, before) || next.level === 'privileged') return false;
  return next.version !== before.version || compareLevels(next.level, before.level) > 0;
}

/** Warnings of pods that would not be let in any more. They stay. */
export function warningsOfPods({ storage, name }: AdmissionAttributes, enforce: Standard): readonly string[] {
  const { objects } = storage.list('/pods', { namespace: name });
  const all = byImportance(objects as readonly unknown[] as readonly ReadJson[]);
  const podsOf = new Map<string, string[]>();
  for (const pod of all.slice(0, mostPods)) {
    const view = podView(pod);
    const reasons = view ? reasonsOf(findingsOf(enforce, view)) : '';
    if (reasons === '') continue;
    podsOf.set(reasons, [...(podsOf.get(reasons) ?? []), textAt(objectAt(pod, 'metadata'), 'name')]);
  }
  const listed = [...podsOf].map(([reasons, pods]) => `${pods.sort()[0]}${others(pods.length - 1)}: ${reasons}`).sort();
  const warnings: string[] = [];
  if (all.length > mostPods) {
    const what = `the first ${mostPods} of ${all.length} existing pods`;
    warnings.push(`new PodSecurity enforce level only checked against ${what}`);
  }
  if (listed.length > 0) {
    const what = `the new PodSecurity enforce level ${JSON.stringify(shown(enforce))}`;
    warnings.push(`existing pods in namespace ${JSON.stringify(name)} violate ${what}`);
  }
  return [...warnings, ...listed];
}
