import type { MutableJson } from '@coxswain/k8s';
import { ensureObject, fill, fillZero, objectAt, objectsAt, textAt } from '../shared/draft.ts';
import { defaultContainer, defaultRequests } from './default-container.ts';
import { defaultVolume } from './default-volume.ts';

/** `serviceAccount` is the old name of `serviceAccountName`; both are always kept and equal. */
function mirrorServiceAccount(spec: MutableJson): void {
  const name = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (name === '') return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

/** Fills a PodSpec as it stands in pods and in templates. */
export function defaultPodSpec(spec: MutableJson): void {
  mirrorServiceAccount(spec);
  fillZero(spec, 'dnsPolicy', 'ClusterFirst');
  fillZero(spec, 'restartPolicy', 'Always');
  ensureObject(spec, 'securityContext');
  fill(spec, 'terminationGracePeriodSeconds', 30);
  fillZero(spec, 'schedulerName', 'default-scheduler');
  for (const key of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of objectsAt(spec, key)) defaultContainer(container);
  }
  for (const volume of objectsAt(spec, 'volumes')) defaultVolume(volume);
}

/** Fills a PodTemplateSpec. */
export function defaultPodTemplate(template: MutableJson): void {
  ensureObject(template, 'metadata');
  defaultPodSpec(ensureObject(template, 'spec'));
}

/** What is filled in pods only, never in templates. */
export function defaultPodOnly(spec: MutableJson): void {
  if (Number(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
  fill(spec, 'enableServiceLinks', true);
  for (const key of ['initContainers', 'containers']) {
    for (const container of objectsAt(spec, key)) {
      defaultRequests(container);
      if (spec.hostNetwork !== true) continue;
      for (const port of objectsAt(container, 'ports')) fillZero(port, 'hostPort', port.containerPort);
    }
  }
}

/** The labels of a template, when it has any. */
export function templateLabels(template: MutableJson | undefined): MutableJson | undefined {
  return objectAt(objectAt(template, 'metadata'), 'labels');
}
