/** How links of the chain change what is written: patches, and putting right what patches leave behind. Knows drafts and schemas only. */
export { afterMutation } from './after-mutation.ts';
export { isTestFailure, patched, patchProblem, replaceDraft, settle } from './patched.ts';
