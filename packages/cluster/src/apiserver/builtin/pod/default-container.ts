import type { MutableJson } from '@coxswain/k8s';
import { ensureObject, fill, fillZero, objectAt, objectsAt, textAt } from '../shared/draft.ts';
import { defaultPullPolicy } from './image.ts';

function defaultHttpGet(action: MutableJson | undefined): void {
  if (!action) return;
  fillZero(action, 'path', '/');
  fillZero(action, 'scheme', 'HTTP');
}

function defaultProbe(container: MutableJson, key: string): void {
  const probe = objectAt(container, key);
  if (!probe) return;
  fillZero(probe, 'timeoutSeconds', 1);
  fillZero(probe, 'periodSeconds', 10);
  fillZero(probe, 'successThreshold', 1);
  fillZero(probe, 'failureThreshold', 3);
  defaultHttpGet(objectAt(probe, 'httpGet'));
  const grpc = objectAt(probe, 'grpc');
  if (grpc) fill(grpc, 'service', '');
}

/** Fills what every container form shares: containers, init containers and ephemeral containers. */
export function defaultContainer(container: MutableJson): void {
  fillZero(container, 'imagePullPolicy', defaultPullPolicy(textAt(container, 'image')));
  fillZero(container, 'terminationMessagePath', '/dev/termination-log');
  fillZero(container, 'terminationMessagePolicy', 'File');
  ensureObject(container, 'resources');
  for (const port of objectsAt(container, 'ports')) fillZero(port, 'protocol', 'TCP');
  for (const key of ['livenessProbe', 'readinessProbe', 'startupProbe']) defaultProbe(container, key);
  const lifecycle = objectAt(container, 'lifecycle');
  for (const key of ['postStart', 'preStop']) defaultHttpGet(objectAt(objectAt(lifecycle, key), 'httpGet'));
  for (const variable of objectsAt(container, 'env')) {
    const fieldRef = objectAt(objectAt(variable, 'valueFrom'), 'fieldRef');
    if (fieldRef) fillZero(fieldRef, 'apiVersion', 'v1');
    const resourceRef = objectAt(objectAt(variable, 'valueFrom'), 'resourceFieldRef');
    if (resourceRef) fillZero(resourceRef, 'divisor', '0');
  }
}

/** Requests that are not given follow from the limits. */
export function defaultRequests(container: MutableJson): void {
  const resources = objectAt(container, 'resources');
  const limits = objectAt(resources, 'limits');
  if (!resources || !limits) return;
  const requests = ensureObject(resources, 'requests');
  for (const [name, value] of Object.entries(limits)) fill(requests, name, value);
}
