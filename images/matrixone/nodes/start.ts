import type { ServiceConfig } from '../config/service-config.ts';
import { startLogStore } from '../log/log-store.ts';
import { startProxy } from '../proxy/proxy.ts';
import { startCn } from './cn.ts';
import { serveMetrics } from './metrics.ts';
import type { Service, Surroundings } from './surroundings.ts';
import { startTn } from './tn.ts';

function start(config: ServiceConfig, surroundings: Surroundings): Promise<Service> {
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

/** Starts a service of whatever kind, with its metrics where they are asked for, and resolves when it serves. @throws ServiceEnd */
export async function startService(config: ServiceConfig, surroundings: Surroundings): Promise<Service> {
  const service = await start(config, surroundings);
  const { statusPort, type } = config;
  if (statusPort === undefined) return service;
  try {
    const metrics = await serveMetrics(statusPort, surroundings.ownAddress ?? '0.0.0.0', type);
    return {
      addresses: service.addresses,
      stop: async () => void (await Promise.all([service.stop(), metrics.close()])),
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}
