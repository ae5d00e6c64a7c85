import type { ServiceConfig } from '../config/service-config.ts';
import { startLogStore } from '../log/log-store.ts';
import type { Service, Surroundings } from './surroundings.ts';

/** Starts a service of whatever kind, and resolves when it serves. @throws ServiceEnd */
export function startService(config: ServiceConfig, surroundings: Surroundings): Promise<Service> {
  switch (config.type) {
    case 'LOG':
      return startLogStore(config, surroundings);
    default:
      throw new Error(config.type);
  }
}
