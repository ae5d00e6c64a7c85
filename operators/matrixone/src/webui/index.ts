/**
 * The dashboard: a Deployment with a service and its configuration. Its children are the upstream operator's to the
 * byte; unlike there it becomes ready. Knows nothing of the sets, but how their services are named.
 */
export { planWebUI, type WebUIPlan } from './plan.ts';
export { setupWebUI } from './setup.ts';
export { webUIToml } from './toml.ts';
