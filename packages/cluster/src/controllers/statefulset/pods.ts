import type { ControllerRevision, PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from '@coxswain/k8s';
import { revisionLabel, templateOf } from '../revision/revisions.ts';
import { podFromTemplate } from '../workload/pods.ts';
import type { StatefulModel } from './model.ts';

/** Labels by which a pod says who it is. */
export const podNameLabel = 'statefulset.kubernetes.io/pod-name';
export const podIndexLabel = 'apps.kubernetes.io/pod-index';

/** `data-web-0` */
export function claimName(claim: PersistentVolumeClaim, pod: string): string {
  return `${claim.metadata.name}-${pod}`;
}

export function podName(model: StatefulModel, ordinal: number): string {
  return `${model.object.metadata.name}-${ordinal}`;
}

/** The template's volumes, those named like a claim template replaced by the pod's own claims. */
function volumesOf(model: StatefulModel, template: PodTemplateSpec, pod: string): Volume[] {
  const own = model.claims.map(
    (claim): Volume => ({ name: claim.metadata.name, persistentVolumeClaim: { claimName: claimName(claim, pod) } }),
  );
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...(template.spec?.volumes ?? []).filter(({ name }) => !names.has(name))];
}

/** The pod of an ordinal, made from a revision. */
export function podOf(model: StatefulModel, ordinal: number, revision: ControllerRevision): Pod {
  const template = templateOf(revision);
  const name = podName(model, ordinal);
  const pod = podFromTemplate(model, template, { name });
  const volumes = volumesOf(model, template, name);
  const identity = {
    [podNameLabel]: name,
    [podIndexLabel]: String(ordinal),
    [revisionLabel]: revision.metadata.name,
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...identity } },
    spec: {
      containers: [],
      ...pod.spec,
      hostname: name,
      ...(model.serviceName ? { subdomain: model.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}
