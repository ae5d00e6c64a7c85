/**
 * The metadata of every object of every kind, for controllers that work on all of them. Which kinds there are comes from
 * discovery and from the definitions of custom resources. Knows the client and the cache; nothing of what is done with it.
 */

export { type KindMonitors, type Monitor, type MonitorEvent, monitorKinds } from './kind-monitors.ts';
export { discoverKinds, type ServedKinds } from './served-kinds.ts';
