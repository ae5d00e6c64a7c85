import type { CustomResourceDefinition } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { defineResource, s } from '@coxswain/schema';

const intOrString = () => s.intOrString().optional();
const object = () => s.anyObject().optional();

const common = {
  selector: s.k8s('io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector'),
  template: s.anyObject(),
  volumeClaimTemplates: s.any().optional(),
  revisionHistoryLimit: s.int32().optional(),
  replicas: s.int32().default(1),
};

const counts = {
  observedGeneration: s.int64().optional(),
  replicas: s.int32(),
  readyReplicas: s.int32(),
  availableReplicas: s.int32(),
  updatedReplicas: s.int32(),
  updatedReadyReplicas: s.int32().optional(),
  updatedAvailableReplicas: s.int32().optional(),
  currentRevision: s.string().optional(),
  updateRevision: s.string().optional(),
  collisionCount: s.int32().optional(),
  labelSelector: s.string().optional(),
  conditions: s.any().optional(),
};

const subresources = {
  status: true,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.labelSelector',
  },
};

const columns = [
  { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas' },
  { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas' },
  { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas' },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
] as const;

const cloneSet = defineResource({
  ...CloneSet,
  shortNames: ['clone'],
  spec: s.object({
    ...common,
    minReadySeconds: s.int32().optional(),
    scaleStrategy: s
      .object({
        podsToDelete: s.list(s.string()).optional(),
        maxUnavailable: intOrString(),
        disablePVCReuse: s.boolean().optional(),
      })
      .optional(),
    updateStrategy: s
      .object({
        type: s.enum('ReCreate', 'InPlaceIfPossible', 'InPlaceOnly').optional(),
        partition: intOrString(),
        maxUnavailable: intOrString(),
        maxSurge: intOrString(),
        paused: s.boolean().optional(),
        priorityStrategy: object(),
        scatterStrategy: s.any().optional(),
        inPlaceUpdateStrategy: s.object({ gracePeriodSeconds: s.int32().optional() }).optional(),
      })
      .optional(),
    lifecycle: s.object({ preDelete: object(), inPlaceUpdate: object(), preNormal: object() }).optional(),
  }),
  status: s.object({ ...counts, expectedUpdatedReplicas: s.int32().optional() }),
  printColumns: columns,
  subresources,
});

const statefulSet = defineResource({
  ...KruiseStatefulSet,
  shortNames: ['sts', 'asts'],
  spec: s.object({
    ...common,
    serviceName: s.string().optional(),
    podManagementPolicy: s.string().optional(),
    reserveOrdinals: s.list(s.intOrString()).optional(),
    lifecycle: object(),
    scaleStrategy: s.object({ maxUnavailable: intOrString() }).optional(),
    persistentVolumeClaimRetentionPolicy: s
      .object({ whenDeleted: s.string().optional(), whenScaled: s.string().optional() })
      .optional(),
    updateStrategy: s
      .object({
        type: s.string().optional(),
        rollingUpdate: s
          .object({
            partition: s.int32().optional(),
            maxUnavailable: intOrString(),
            podUpdatePolicy: s.string().optional(),
            paused: s.boolean().optional(),
            unorderedUpdate: object(),
            minReadySeconds: s.int32().optional(),
            inPlaceUpdateStrategy: s.object({ gracePeriodSeconds: s.int32().optional() }).optional(),
          })
          .optional(),
      })
      .optional(),
  }),
  status: s.object({ ...counts, currentReplicas: s.int32() }),
  printColumns: columns,
  subresources,
});

/** The CRDs of the OpenKruise kinds that the embedded cluster serves. */
export function kruiseCrds(): readonly CustomResourceDefinition[] {
  return [cloneSet.crd(), statefulSet.crd()];
}
