/** Programs that tests and suites start. */
export { endsWithParent } from './ends-with-parent.ts';
