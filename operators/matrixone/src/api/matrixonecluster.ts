import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { cnSetFields, cnSetSpec, nodePortNeedsType } from './cnset.ts';
import { GROUP, VERSION } from './constants.ts';
import { dnSetSpec, dnSetStatus } from './dnset.ts';
import { logSetSpec, logSetStatus } from './logset.ts';
import { proxySetSpec, proxySetStatus } from './proxyset.ts';
import { conditionalStatus } from './shared.ts';
import { webUISpec, webUIStatus } from './webui.ts';

/** Far above what one object can hold in practice; without it the server has to take the rules for too expensive. */
const mostGroups = 1000;

export const matrixOneClusterSpec = s
  .object({
    tp: cnSetSpec.optional().describe('Deprecated: a group named "tp".'),
    ap: cnSetSpec.optional().describe('Deprecated: a group named "ap".'),
    cnGroups: s
      .list(
        s
          .object({ name: s.string().describe('Name of the group; its CNSet is called CLUSTER-NAME.'), ...cnSetFields })
          .rule(nodePortNeedsType.rule, nodePortNeedsType),
        {
          type: 'map',
          keys: ['name'],
        },
      )
      .maxItems(mostGroups)
      .optional()
      .describe('The groups of compute nodes.'),
    dn: dnSetSpec.optional().describe('Deprecated: the old name of tn.'),
    tn: dnSetSpec.optional().describe('The transaction nodes: their DNSet.'),
    logService: logSetSpec.describe('The log service: its LogSet.'),
    webui: webUISpec.optional().describe('The dashboard: its WebUI. None by default.'),
    proxy: proxySetSpec.optional().describe('The proxies that clients connect to: their ProxySet. None by default.'),
    version: s.string().describe('Tag of the image.').rule('self != ""', 'version must be set'),
    imageRepository: s.string().optional().describe('Default matrixorigin/matrixone.'),
    topologySpread: s.list(s.string()).optional().describe('That of all sets that name none.'),
    nodeSelector: s.map(s.string()).optional().describe('That of all sets that name none.'),
    imagePullPolicy: s.string().optional().describe('"Always", "IfNotPresent" or "Never", for all pods.'),
    restoreFrom: s
      .string()
      .maxLength(253)
      .optional()
      .describe('Name of a Backup to start from: it is restored once, before anything of the cluster runs. Immutable.'),
    metricReaderEnabled: s
      .boolean()
      .optional()
      .describe('Makes a user of the database that may read its metrics. Default false.'),
    semanticVersion: s
      .string()
      .optional()
      .describe('The version of MatrixOne when spec.version is none, as for the tag nightly.'),
    operatorVersion: s.string().optional().describe('Set to the latest on new clusters.'),
    memoryFsSize: s.quantity().optional().describe('That of all sets that name none.'),
  })
  .rule('has(self.tn) || has(self.dn)', { message: '.spec.tn must be set', fieldPath: '.tn' })
  .rule('!(has(self.tn) && has(self.dn))', {
    message: 'legacy component .spec.dn cannot be set when .spec.tn is set',
    fieldPath: '.dn',
  })
  .rule('(has(self.restoreFrom) ? self.restoreFrom : "") == (has(oldSelf.restoreFrom) ? oldSelf.restoreFrom : "")', {
    message: 'restoreFrom is immutable',
    fieldPath: '.restoreFrom',
  });

const groupStatus = s.object({
  name: s.string().optional().describe('Name of its CNSet.'),
  host: s.string().optional().describe('Host of its Service.'),
  ready: s.boolean().optional().describe('Whether all its nodes are ready.'),
  synced: s.boolean().optional().describe('Whether it is as the spec says.'),
});

/** A whole MatrixOne: log service, transaction nodes, groups of compute nodes, proxies. */
export const MatrixOneCluster = defineResource({
  group: GROUP,
  version: VERSION,
  kind: 'MatrixOneCluster',
  description: 'A whole MatrixOne: log service, transaction nodes, groups of compute nodes, proxies.',
  plural: 'matrixoneclusters',
  shortNames: ['mo'],
  scope: 'Namespaced',
  spec: matrixOneClusterSpec,
  status: s.object({
    ...conditionalStatus,
    phase: s.string().optional().describe('"Ready" or "NotReady".'),
    credentialRef: s
      .object({ name: s.string().optional() })
      .atomic()
      .optional()
      .describe('Secret with the first user, keys username and password.'),
    clusterMetrics: s
      .object({
        secretRef: s.object({ name: s.string().optional() }).atomic().optional(),
        initialized: s.boolean().optional(),
      })
      .optional(),
    cnGroups: s
      .object({
        desiredGroups: s.int().optional(),
        readyGroups: s.int().optional(),
        syncedGroups: s.int().optional(),
        groups: s.list(groupStatus).optional(),
      })
      .optional(),
    dn: dnSetStatus.optional(),
    proxy: proxySetStatus.optional(),
    webui: webUIStatus.optional(),
    logService: logSetStatus.optional(),
    restore: s
      .object({
        jobUID: s.string().describe('UID of the only RestoreJob that runs for it, known before that starts.'),
        phase: s.enum('Running', 'Completed', 'Failed').describe('How far it is; the last two are for good.'),
        message: s.string().optional().describe('Why it failed.'),
      })
      .optional()
      .describe('The restore of spec.restoreFrom: it is done once.'),
    readable: s.object({ log: s.string().optional(), dn: s.string().optional(), cn: s.string().optional() }).optional(),
    host: s.string().optional(),
    port: s.int().optional(),
  }),
  printColumns: [
    { name: 'Log', type: 'integer', jsonPath: '.spec.logService.replicas' },
    { name: 'DN', type: 'integer', jsonPath: '.spec.dn.replicas' },
    { name: 'Version', type: 'string', jsonPath: '.spec.version' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: { status: true },
});
export type MatrixOneCluster = ResourceType<typeof MatrixOneCluster>;
