import type { CustomResourceDefinition } from '@coxswain/k8s';
import type { StorageSubscription } from '../../storage/types.ts';
import { installApiServices } from './api-services.ts';
import { installFlowControl } from './flow-control.ts';
import { installNamespaceDefaults, type NamespaceDefaults } from './namespace-defaults.ts';
import { commonObjects, type ServerAddress, serverEndpoints, serverService } from './objects.ts';
import { ensureServiceNetwork } from './service-network.ts';
import { type BootstrapContext, ensureCurrent, ensureStored } from './write.ts';

/**
 * Makes the objects every cluster starts with: system namespaces, priority classes, the default storage class, flow control, an
 * APIService for each group and version, and a default service account in each namespace. Changes nothing that is there already. Cancel the answer at the end.
 */
export function bootstrapCluster(context: BootstrapContext, defaults: NamespaceDefaults = {}): StorageSubscription {
  for (const object of commonObjects) ensureStored(context, object);
  ensureServiceNetwork(context);
  const kept = [installNamespaceDefaults(context, defaults), installFlowControl(context), installApiServices(context)];
  return {
    cancel() {
      for (const subscription of kept) subscription.cancel();
    },
  };
}

/** Publishes the server as `default/kubernetes` once its address is known; an older address is replaced. */
export function publishServer(context: BootstrapContext, address: ServerAddress): void {
  ensureStored(context, serverService(address));
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
