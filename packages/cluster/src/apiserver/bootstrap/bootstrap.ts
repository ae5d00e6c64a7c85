import type { CustomResourceDefinition } from '@coxswain/k8s';
import type { StorageSubscription } from '../../storage/types.ts';
import { defaultServiceRange, serviceRangeOf } from '../builtin/service/address-range.ts';
import { installApiServices } from './api-services.ts';
import { installFlowControl } from './flow-control.ts';
import { installNamespaceDefaults, type NamespaceDefaults } from './namespace-defaults.ts';
import { commonObjects, type ServerAddress, serverEndpoints, serverService } from './objects.ts';
import { ensureServiceNetwork } from './service-network.ts';
import { type BootstrapContext, ensureCurrent, ensureStored } from './write.ts';

export interface BootstrapOptions extends NamespaceDefaults {
  /** Where Services of a new cluster get their addresses from. Default `10.96.0.0/16`. */
  readonly serviceRange?: string;
}

/**
 * Makes the objects every cluster starts with: system namespaces, priority classes, the default storage class, flow control, an
 * APIService for each group and version, and a default service account in each namespace. Changes nothing that is there already. Cancel the answer at the end.
 */
export function bootstrapCluster(
  context: BootstrapContext,
  { serviceRange = defaultServiceRange, ...defaults }: BootstrapOptions = {},
): StorageSubscription {
  for (const object of commonObjects) ensureStored(context, object);
  ensureServiceNetwork(context, serviceRange);
  const kept = [installNamespaceDefaults(context, defaults), installFlowControl(context), installApiServices(context)];
  return {
    cancel() {
      for (const subscription of kept) subscription.cancel();
    },
  };
}

/** Publishes the server as `default/kubernetes` once its address is known; an older address is replaced. */
export function publishServer(context: BootstrapContext, address: ServerAddress): void {
  ensureStored(context, serverService(address, serviceRangeOf(context.storage).addressAt(1)));
  for (const object of serverEndpoints(address)) ensureCurrent(context, object);
}

/** Serves these custom kinds from the start. What an older program stored is brought to what they say now. */
export function bootstrapDefinitions(
  context: BootstrapContext,
  definitions: readonly CustomResourceDefinition[],
): void {
  const resource = 'apiextensions.k8s.io/customresourcedefinitions';
  for (const definition of definitions) ensureCurrent(context, { resource, object: { ...definition } });
}
