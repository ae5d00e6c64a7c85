/** What tests of other packages need of this one: a resource in which every word of the builder is used. */
export { Everything } from './everything.ts';
