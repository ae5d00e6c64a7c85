import {
  ANNOTATION_CONFIG_SUFFIX,
  ANNOTATION_OPERATOR_VERSION,
  ANNOTATION_PROMETHEUS_PORT,
  ANNOTATION_PROMETHEUS_SCRAPE,
  ANNOTATION_SEMANTIC_VERSION,
  PORT_METRIC,
  type PodSetSpec,
} from '../api/index.ts';
import type { RenderedConfig } from '../config/index.ts';
import {
  compareVersions,
  FIRST_OPERATOR_VERSION,
  matrixOneVersionOf,
  operatorVersionOf,
  parseVersion,
} from '../version/index.ts';

const prometheus: Readonly<Record<string, string>> = {
  [ANNOTATION_PROMETHEUS_SCRAPE]: 'true',
  [ANNOTATION_PROMETHEUS_PORT]: String(PORT_METRIC),
};

/** Where Prometheus finds the set, when it should. */
export function discoveryScheme(spec: PodSetSpec): 'Pod' | 'Service' | undefined {
  if (!spec.exportToPrometheus) return undefined;
  return spec.promDiscoveryScheme === 'Pod' ? 'Pod' : 'Service';
}

/** Annotations for a set's service. */
export function serviceAnnotations(spec: PodSetSpec): Readonly<Record<string, string>> {
  return discoveryScheme(spec) === 'Service' ? prometheus : {};
}

/** Annotations of a pod template, the overlay's over the generated ones. `own` are those of the role. */
export function podAnnotations(
  spec: PodSetSpec,
  config: RenderedConfig,
  own: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const version = matrixOneVersionOf(spec);
  const operator = operatorVersionOf(spec);
  const first = parseVersion(FIRST_OPERATOR_VERSION);
  return {
    ...own,
    ...(version ? { [ANNOTATION_SEMANTIC_VERSION]: version.text } : {}),
    ...(first && compareVersions(operator, first) > 0 ? { [ANNOTATION_OPERATOR_VERSION]: operator.text } : {}),
    ...(config.suffix === undefined ? {} : { [ANNOTATION_CONFIG_SUFFIX]: config.suffix }),
    ...(discoveryScheme(spec) === 'Pod' ? prometheus : {}),
    ...spec.overlay?.podAnnotations,
  };
}
