import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import {
  conditionalStatus,
  failoverStatus,
  imageColumns,
  type ObjectDependency,
  podSet,
  serviceFields,
  updateStrategy,
} from './shared.ts';

export const webUISpec = s.object({
  ...podSet,
  serviceType: serviceFields.serviceType,
  updateStrategy: updateStrategy.optional(),
  imagePullPolicy: s.string().optional(),
});

export const webUIStatus = s.object({ ...conditionalStatus, ...failoverStatus });

/** The dashboard. */
export const WebUI = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'WebUI',
  plural: 'webuis',
  scope: 'Namespaced',
  spec: webUISpec,
  specOptional: true,
  status: webUIStatus,
  root: { deps: s.object({ cnset: s.anyObject<ObjectDependency>().optional() }).optional() },
  printColumns: imageColumns,
  subresources: { status: true },
});
export type WebUI = ResourceType<typeof WebUI>;
