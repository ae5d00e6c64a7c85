/** What nodes may change: themselves, their pods, their leases. Knows the kinds that nodes write, and storage. */
export { nodeRestriction } from './node-restriction.ts';
