import type { Scenario } from '../types.ts';
import { deployments } from './deployments.ts';

/** Every scenario, by the part of the cluster it is about. */
export const scenarios: readonly Scenario[] = [...deployments];
