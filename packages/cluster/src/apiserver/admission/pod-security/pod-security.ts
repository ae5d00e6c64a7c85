import type { DynamicObject } from '@coxswain/k8s';
import { apiError, forbidden, invalid } from '@coxswain/runtime/core';
import { mapAt, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../types.ts';
import type { Finding } from './check.ts';
import { detailsOf, findingsOf } from './findings.ts';
import { isTightened, warningsOfPods } from './namespace-change.ts';
import { type PodView, podView } from './pod-view.ts';
import { type NamespacePolicy, policyOf, prefix, type Standard, shown } from './standard.ts';

const labelsOf = (object: ReadJson | undefined) => mapAt(objectAt(object, 'metadata'), 'labels');

function checkNamespace(attributes: AdmissionAttributes): void {
  const { subresource, operation, object, old, resource, name, warn } = attributes;
  if (subresource !== '') return;
  const next = policyOf(labelsOf(object));
  const before = operation === 'UPDATE' ? policyOf(labelsOf(old as ReadJson | undefined)) : undefined;
  if (next.errors.length > 0 && !(before && sameJson(next.errors, before.errors))) {
    throw invalid(resource.group, resource.kind, name, next.errors);
  }
  if (!before || !isTightened(next.policy.enforce, before.policy.enforce)) return;
  for (const text of warningsOfPods(attributes, next.policy.enforce)) warn(text);
}

/** Subresources of pods that are not the pod itself, or do not touch what is judged. */
const ignoredSubresources = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

/** Images are what an update may change of a pod; beside them, only ephemeral containers are added. */
function isSignificant(next: ReadJson | undefined, before: ReadJson | undefined): boolean {
  const [spec, old] = [objectAt(next, 'spec'), objectAt(before, 'spec')];
  const image = (part: ReadJson | undefined) => textAt(part, 'image');
  for (const key of ['containers', 'initContainers']) {
    const [now, earlier] = [objectsAt(spec, key), objectsAt(old, key)];
    if (now.length !== earlier.length || now.some((one, i) => image(one) !== image(earlier[i]))) return true;
  }
  const earlier = objectsAt(old, 'ephemeralContainers');
  return objectsAt(spec, 'ephemeralContainers').some((one) => {
    const same = earlier.find(({ name }) => name === one.name);
    return !same || image(same) !== image(one);
  });
}

function policyFor({ storage, namespace }: AdmissionAttributes): ReturnType<typeof policyOf> {
  const found = storage.get({ resource: '/namespaces', namespace: '', name: namespace });
  if (found) return policyOf(found.metadata.labels ?? {});
  throw apiError(
    500,
    'InternalError',
    `Internal error occurred: failed to lookup namespace ${JSON.stringify(namespace)}`,
  );
}

/** Holds a pod, or a template of pods, against what the namespace demands. Templates are never refused. */
function evaluate(pod: PodView, policy: NamespacePolicy, attributes: AdmissionAttributes, enforced: boolean): void {
  const found = new Map<string, readonly Finding[]>();
  const against = (standard: Standard): readonly Finding[] => {
    const findings = found.get(shown(standard)) ?? findingsOf(standard, pod);
    found.set(shown(standard), findings);
    return findings;
  };
  const violation = (standard: Standard, verb: string) =>
    `${verb} PodSecurity ${JSON.stringify(shown(standard))}: ${detailsOf(against(standard))}`;
  const { enforce, audit, warn } = policy;
  if (enforced) attributes.annotate(`${prefix}enforce-policy`, shown(enforce));
  if (against(audit).length > 0) attributes.annotate(`${prefix}audit-violations`, violation(audit, 'would violate'));
  if (enforced && against(enforce).length > 0) {
    throw forbidden(attributes.resource, attributes.name, violation(enforce, 'violates'));
  }
  if (against(warn).length > 0) attributes.warn(violation(warn, 'would violate'));
}

function checkPod(attributes: AdmissionAttributes): void {
  const { subresource, operation, object, old } = attributes;
  if (ignoredSubresources.has(subresource)) return;
  const { policy } = policyFor(attributes);
  if (Object.values(policy).every(({ level }) => level === 'privileged')) return;
  if (operation === 'UPDATE' && !isSignificant(object, old as ReadJson | undefined)) return;
  const pod = podView(object);
  if (pod) evaluate(pod, policy, attributes, true);
}

type Template = (object: ReadJson) => ReadJson | undefined;

const inSpec: Template = (object) => objectAt(objectAt(object, 'spec'), 'template');

/** Where kinds that make pods have their template. */
const templates: Readonly<Record<string, Template>> = {
  '/replicationcontrollers': inSpec,
  '/podtemplates': (object) => objectAt(object, 'template'),
  'apps/replicasets': inSpec,
  'apps/deployments': inSpec,
  'apps/statefulsets': inSpec,
  'apps/daemonsets': inSpec,
  'batch/jobs': inSpec,
  'batch/cronjobs': (object) =>
    objectAt(objectAt(objectAt(objectAt(object, 'spec'), 'jobTemplate'), 'spec'), 'template'),
};

function checkTemplate(attributes: AdmissionAttributes, template: Template): void {
  const { subresource, storage, namespace, object } = attributes;
  if (subresource !== '' || !object) return;
  const found = storage.get({ resource: '/namespaces', namespace: '', name: namespace }) as DynamicObject | undefined;
  const { policy } = policyOf(found?.metadata.labels ?? {});
  if (policy.warn.level === 'privileged' && policy.audit.level === 'privileged') return;
  const pod = podView(template(object));
  if (pod) evaluate(pod, policy, attributes, false);
}

/** Keeps pods to the Pod Security Standard that the labels of their namespace name. Without such labels, everything goes. */
export const podSecurity: AdmissionPlugin = {
  name: 'PodSecurity',
  validate(attributes) {
    const { operation, resource } = attributes;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return;
    const key = `${resource.group}/${resource.plural}`;
    if (key === '/namespaces') return checkNamespace(attributes);
    if (key === '/pods') return checkPod(attributes);
    const template = templates[key];
    if (template) checkTemplate(attributes, template);
  },
};
