import type { Taint } from '@coxswain/k8s';
import { tolerated } from '../state/tolerations.ts';
import type { Plugin, Rejection } from './types.ts';

const taint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const rejection: Rejection = {
  plugin: 'NodeUnschedulable',
  reasons: ['node(s) were unschedulable'],
  unresolvable: true,
};

/** Cordoned nodes take no pods but those that tolerate it. */
export const nodeUnschedulable: Plugin = {
  name: 'NodeUnschedulable',
  filter({ info }) {
    if (tolerated(info.pod.spec?.tolerations, taint)) return undefined;
    return { check: ({ node }) => (node?.spec?.unschedulable ? rejection : undefined) };
  },
};
