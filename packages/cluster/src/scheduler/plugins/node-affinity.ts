import { namedNodes, podAllowsNode, termSelects } from '../state/node-selection.ts';
import { type Plugin, type Rejection, scaled } from './types.ts';

const name = 'NodeAffinity';
const mismatch: Rejection = {
  plugin: name,
  reasons: ["node(s) didn't match Pod's node affinity/selector"],
  unresolvable: true,
};
const contradiction: Rejection = { plugin: name, reasons: ['pod affinity terms conflict'], unresolvable: true };

/** Node selectors and node affinity, required and preferred. */
export const nodeAffinity: Plugin = {
  name,
  filter({ info: { pod } }) {
    if (!pod.spec?.nodeSelector && !pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution)
      return undefined;
    const only = namedNodes(pod);
    if (only?.size === 0) return contradiction;
    return {
      ...(only ? { only } : {}),
      check: ({ node }) => (node && podAllowsNode(pod, node) ? undefined : mismatch),
    };
  },
  weight: 2,
  score({ info: { pod } }, nodes) {
    const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    if (!terms?.length) return undefined;
    const points = nodes.map(({ node }) =>
      terms.reduce((sum, { weight, preference }) => sum + (node && termSelects(preference, node) ? weight : 0), 0),
    );
    return scaled(points);
  },
};
