import { isFields, labelValueErrors, qualifiedNameErrors } from '@coxswain/runtime/core';
import {
  ANNOTATION_CONFIG_SUFFIX,
  LABEL_COMPONENT,
  LABEL_INSTANCE,
  LABEL_NAMESPACE,
  type Overlay,
} from '../api/index.ts';
import { type Problem, unless } from './problems.ts';

/** What a value of an overlay has to be, to be laid over a pod at all. Sub-fields of Kubernetes' own types are the API server's to judge. */
type Shape =
  | 'texts'
  | 'objects'
  | 'named'
  | 'claims'
  | 'object'
  | 'labels'
  | 'annotations'
  | 'text'
  | 'integer'
  | 'flag';

const shapes: Readonly<Record<keyof Overlay, Shape>> = {
  command: 'texts',
  args: 'texts',
  envFrom: 'objects',
  env: 'named',
  imagePullPolicy: 'text',
  volumeMounts: 'named',
  livenessProbe: 'object',
  readinessProbe: 'object',
  startupProbe: 'object',
  lifecycle: 'object',
  mainContainerSecurityContext: 'object',
  volumes: 'named',
  volumeClaims: 'claims',
  initContainers: 'named',
  sidecarContainers: 'named',
  serviceAccountName: 'text',
  securityContext: 'object',
  imagePullSecrets: 'objects',
  affinity: 'object',
  tolerations: 'objects',
  priorityClassName: 'text',
  terminationGracePeriodSeconds: 'integer',
  hostAliases: 'objects',
  topologySpreadConstraints: 'objects',
  runtimeClassName: 'text',
  dnsConfig: 'object',
  podLabels: 'labels',
  podAnnotations: 'annotations',
  shareProcessNamespace: 'flag',
};

/**
 * What is wrong with the form of an overlay, which the CRD takes as it comes: a list that is none, an item without a name.
 * `null` says nothing, as upstream has it.
 */
export function overlayProblems(overlay: Overlay | undefined): readonly Problem[] {
  if (overlay === undefined || overlay === null) return [];
  const given: unknown = overlay;
  if (!isFields(given)) return [{ field: 'spec.overlay', message: 'must be an object' }];
  return Object.entries(shapes).flatMap(([name, shape]) => {
    const value = given[name];
    return value === undefined || value === null ? [] : shapeProblems(`spec.overlay.${name}`, value, shape);
  });
}

function shapeProblems(field: string, value: unknown, shape: Shape): readonly Problem[] {
  switch (shape) {
    case 'texts':
      return listProblems(field, value, (at, item) => unless(typeof item === 'string', at, 'must be text'));
    case 'objects':
      return listProblems(field, value, (at, item) => unless(isFields(item), at, 'must be an object'));
    case 'named':
      return listProblems(field, value, nameProblems);
    case 'claims':
      return listProblems(field, value, (at, item) => nameProblems(`${at}.metadata`, isFields(item) && item.metadata));
    case 'object':
      return unless(isFields(value), field, 'must be an object');
    case 'labels':
      return [...mapProblems(field, value, labelValueErrors), ...takenProblems(field, value, selecting)];
    case 'annotations':
      return [...mapProblems(field, value, () => []), ...takenProblems(field, value, starting)];
    case 'text':
      return unless(typeof value === 'string', field, 'must be text');
    case 'integer':
      return unless(Number.isInteger(value), field, 'must be a whole number');
    case 'flag':
      return unless(typeof value === 'boolean', field, 'must be true or false');
  }
}

function listProblems(
  field: string,
  value: unknown,
  ofItem: (at: string, item: unknown) => readonly Problem[],
): readonly Problem[] {
  if (!Array.isArray(value)) return [{ field, message: 'must be a list' }];
  return value.flatMap((item, i) => ofItem(`${field}[${i}]`, item));
}

function nameProblems(field: string, item: unknown): readonly Problem[] {
  if (!isFields(item)) return [{ field, message: 'must be an object with a name' }];
  return unless(typeof item.name === 'string' && item.name !== '', `${field}.name`, 'name must be set');
}

function mapProblems(
  field: string,
  value: unknown,
  errorsOf: (value: string) => readonly string[],
): readonly Problem[] {
  if (!isFields(value)) return [{ field, message: 'must be a map of texts' }];
  return Object.entries(value).flatMap(([key, text]) => {
    const errors =
      typeof text === 'string' ? [...qualifiedNameErrors(key), ...errorsOf(text)] : ['must be text; put it in quotes'];
    return errors.map((message) => ({ field: `${field}[${key}]`, message }));
  });
}

/** By these a workload knows its pods: it would make others without end. */
const selecting = [LABEL_NAMESPACE, LABEL_INSTANCE, LABEL_COMPONENT];
/** By this a pod finds its configuration. */
const starting = [ANNOTATION_CONFIG_SUFFIX];

function takenProblems(field: string, value: unknown, taken: readonly string[]): readonly Problem[] {
  const given = taken.filter((key) => isFields(value) && Object.hasOwn(value, key));
  return given.map((key) => ({ field: `${field}[${key}]`, message: 'is set by the operator' }));
}
