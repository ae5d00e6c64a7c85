import { tolerated } from '../state/tolerations.ts';
import { type Plugin, type Rejection, scaled } from './types.ts';

const rejection: Rejection = {
  plugin: 'TaintToleration',
  reasons: ['node(s) had untolerated taint(s)'],
  unresolvable: true,
};

/** Taints keep pods away that do not tolerate them, or make the node less wanted. */
export const taintToleration: Plugin = {
  name: 'TaintToleration',
  filter({ info }) {
    const tolerations = info.pod.spec?.tolerations;
    return {
      check({ node }) {
        for (const taint of node?.spec?.taints ?? [])
          if (taint.effect !== 'PreferNoSchedule' && !tolerated(tolerations, taint)) return rejection;
        return undefined;
      },
    };
  },
  weight: 3,
  score({ info }, nodes) {
    const tolerations = info.pod.spec?.tolerations?.filter(({ effect }) => !effect || effect === 'PreferNoSchedule');
    let any = false;
    const points = nodes.map(({ node }) => {
      const unwanted = (node?.spec?.taints ?? []).filter(
        (taint) => taint.effect === 'PreferNoSchedule' && !tolerated(tolerations, taint),
      );
      any ||= unwanted.length > 0;
      return unwanted.length;
    });
    return any ? scaled(points, true) : undefined;
  },
};
