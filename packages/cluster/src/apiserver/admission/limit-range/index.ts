/** LimitRange: defaults for containers, and bounds for containers, pods and claims. Knows the kinds it bounds and storage. */
export { limitRanger } from './limit-ranger.ts';
