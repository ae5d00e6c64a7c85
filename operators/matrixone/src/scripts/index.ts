/**
 * The start scripts of the four roles. They complete the configuration with what only the pod knows (identity, addresses)
 * and become the service. Their text is free: with configuration in place it is no part of the pod template.
 */
export { cnStartScript } from './cn.ts';
export { dnStartScript } from './dn.ts';
export { logStartScript } from './log.ts';
export { proxyStartScript } from './proxy.ts';
