import type { PodView } from './pod-view.ts';

/** What a check holds against a pod. */
export interface Finding {
  readonly reason: string;
  /** Which containers and values; shown for a pod of one's own. */
  readonly detail: string;
}

export type Judge = (pod: PodView) => Finding | undefined;

/** A rule of one of the Pod Security Standards, in the forms it had in the course of the versions. */
export interface Check {
  /** The order of the findings. */
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** By minor version, rising: the last one that is not younger than the wanted version counts. */
  readonly versions: readonly { readonly since: number; readonly judge: Judge }[];
  /** A check of the lower level that this one makes superfluous. */
  readonly overrides?: string;
}
