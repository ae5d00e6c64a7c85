/**
 * invariants: what must hold of the objects of a server at any time, looked at after each change, in the order in which the server
 * made them. Knows kinds and watches; nothing of operators.
 */
export {
  InvariantError,
  type InvariantOptions,
  type Invariants,
  type Rule,
  watchInvariants,
} from './watch-invariants.ts';
