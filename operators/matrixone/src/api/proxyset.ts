import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { GROUP, VERSION } from './constants.ts';
import { conditionalStatus, imageColumns, logSetRef, podSet, serviceFields } from './shared.ts';

export const proxySetSpec = s.object({
  ...podSet,
  ...serviceFields,
  minReadySeconds: s
    .int32()
    .optional()
    .describe('For how long a new proxy must be ready before the next one is updated.'),
  waitPluginAddr: s.string().optional().describe('"host:port" that must accept connections before the proxy starts.'),
});

export const proxySetStatus = s.object({
  ...conditionalStatus,
  host: s.string().optional(),
  port: s.int().optional(),
});

/** The proxies in front of the compute nodes. */
export const ProxySet = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'ProxySet',
  description: 'The proxies in front of the compute nodes.',
  plural: 'proxysets',
  scope: 'Namespaced',
  spec: proxySetSpec,
  status: proxySetStatus,
  root: { deps: s.object(logSetRef).optional() },
  printColumns: imageColumns,
  subresources: { status: true },
});
export type ProxySet = ResourceType<typeof ProxySet>;
