import type { Plugin, Rejection } from './types.ts';

const rejection: Rejection = {
  plugin: 'NodeName',
  reasons: ["node(s) didn't match the requested node name"],
  unresolvable: true,
};

/** A pod that names its node goes nowhere else. */
export const nodeName: Plugin = {
  name: 'NodeName',
  filter({ info }) {
    const wanted = info.pod.spec?.nodeName;
    return wanted ? { check: ({ name }) => (name === wanted ? undefined : rejection) } : undefined;
  },
};
