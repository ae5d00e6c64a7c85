/** How long ago something was, for those who act on it: steps of the wall clock do not count. Knows nothing of MatrixOne. */
export { Elapsed } from './elapsed.ts';
