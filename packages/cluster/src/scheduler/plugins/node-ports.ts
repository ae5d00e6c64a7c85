import type { Plugin, Rejection } from './types.ts';

const rejection: Rejection = {
  plugin: 'NodePorts',
  reasons: ["node(s) didn't have free ports for the requested pod ports"],
  unresolvable: false,
};

/** Host ports are held by one pod per node. */
export const nodePorts: Plugin = {
  name: 'NodePorts',
  filter({ info: { hostPorts } }) {
    if (hostPorts.length === 0) return undefined;
    return { check: ({ ports }) => (ports.clashes(hostPorts) ? rejection : undefined) };
  },
};
