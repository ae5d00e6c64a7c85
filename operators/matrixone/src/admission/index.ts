/**
 * The webhooks of the kinds (`spec/matrixone.md` §4): `defaults` and `validation` at the door of the API server. What can be
 * said in the CRDs is said there and holds without this room. Knows nothing of controllers.
 */
export { type AdmissionOptions, matrixoneWebhooks } from './webhooks.ts';
