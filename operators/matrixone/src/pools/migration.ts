import type { Pod } from '@coxswain/k8s';
import { claimantOf, phaseOf } from '../api/index.ts';

/** Milliseconds that proxies get to learn of the new node before the old one is taken out of service. */
const propagation = 15_000;
/** Milliseconds between looks at the source. */
const lookAgain = 10_000;

/** What comes next in the move of a claim's sessions from one pod to another. */
export type MigrationStep =
  /** The new node serves not long enough. */
  | { readonly kind: 'wait'; readonly after: number }
  /** The source is still the claim's: give it back to its pool. */
  | { readonly kind: 'reclaim' }
  /** The source drains: tell what is left on it. */
  | { readonly kind: 'report'; readonly after: number }
  /** The source is gone, empty, or somebody else's. */
  | { readonly kind: 'finish' };

export interface Migration {
  /** Name of the claim. */
  readonly claim: string;
  readonly source: Pod | undefined;
  /** Milliseconds since the claim got its new pod. */
  readonly boundFor: number;
}

/** Decides the next step of a migration (`spec/matrixone.md` §3.4). */
export function migrationStep({ claim, source, boundFor }: Migration): MigrationStep {
  if (!source) return { kind: 'finish' };
  const phase = phaseOf(source);
  const isOurs = phase === 'Bound' && claimantOf(source) === claim;
  if (!isOurs && phase !== 'Draining') return { kind: 'finish' };
  if (boundFor < propagation) return { kind: 'wait', after: propagation - boundFor };
  return isOurs ? { kind: 'reclaim' } : { kind: 'report', after: lookAgain };
}
