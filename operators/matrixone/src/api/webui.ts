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
  updateStrategy: updateStrategy.optional().describe('How many pods more or less there may be during an update.'),
  imagePullPolicy: s.string().optional().describe('"Always", "IfNotPresent" or "Never".'),
});

export const webUIStatus = s.object({ ...conditionalStatus, ...failoverStatus });

/** The dashboard. */
export const WebUI = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'WebUI',
  description: 'The dashboard.',
  plural: 'webuis',
  scope: 'Namespaced',
  spec: webUISpec,
  specOptional: true,
  status: webUIStatus,
  root: {
    deps: s
      .object({
        cnset: s.anyObject<ObjectDependency>().optional().describe('The CNSet that it shows, by metadata.name.'),
      })
      .optional(),
  },
  printColumns: imageColumns,
  subresources: { status: true },
});
export type WebUI = ResourceType<typeof WebUI>;
