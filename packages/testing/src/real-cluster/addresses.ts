/** Addresses inside the cluster's own networks, which nothing outside of them can reach. */
export const addresses = {
  controlPlane: '10.77.0.1',
  services: '10.96.0.0/16',
  /** Where pods ask for names; nobody answers. */
  dns: '10.96.0.10',
  pods: '10.244.0.0/16',
  /** Of node 1, 2, … */
  node: (number: number): string => `10.77.0.${10 + number}`,
  /** Of the pods of a node. */
  podsOf: (number: number): string => `10.244.${number}.0/24`,
} as const;
