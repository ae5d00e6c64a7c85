import type { ServiceConfig } from '../config/service-config.ts';
import { startLogStore } from '../log/log-store.ts';
import { startProxy } from '../proxy/proxy.ts';
import { startCn } from './cn.ts';
import type { Service, Surroundings } from './surroundings.ts';
import { startTn } from './tn.ts';

/** Starts a service of whatever kind, and resolves when it serves. @throws ServiceEnd */
export function startService(config: ServiceConfig, surroundings: Surroundings): Promise<Service> {
  switch (config.type) {
    case 'LOG':
      return startLogStore(config, surroundings);
    case 'TN':
      return startTn(config, surroundings);
    case 'CN':
      return startCn(config, surroundings);
    case 'PROXY':
      return startProxy(config, surroundings);
  }
}
