import type { Scenario } from '../types.ts';
import { daemonSets } from './daemon-sets.ts';
import { deployments } from './deployments.ts';
import { disruption } from './disruption.ts';
import { jobs } from './jobs.ts';
import { namespaces } from './namespaces.ts';
import { nodes } from './nodes.ts';
import { pods } from './pods.ts';
import { scheduling } from './scheduling.ts';
import { statefulSets } from './stateful-sets.ts';
import { volumes } from './volumes.ts';

/** Every scenario, by the part of the cluster it is about. */
export const scenarios: readonly Scenario[] = [
  ...pods,
  ...deployments,
  ...statefulSets,
  ...daemonSets,
  ...jobs,
  ...disruption,
  ...scheduling,
  ...volumes,
  ...namespaces,
  ...nodes,
];
