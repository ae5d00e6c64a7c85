import { LABEL_CLUSTER, type MatrixOneClusterSpec, type PodSetSpec } from '../api/index.ts';
import { parseToml, renderToml } from '../toml/index.ts';

const DEFAULT_REPOSITORY = 'matrixorigin/matrixone';

/** The image of a cluster's sets, where they name none. */
export function imageOf({
  imageRepository,
  version,
}: Pick<MatrixOneClusterSpec, 'imageRepository' | 'version'>): string {
  return `${imageRepository || DEFAULT_REPOSITORY}:${version}`;
}

/** Fields a set takes from its cluster when it has none of its own. */
const inherited = ['nodeSelector', 'topologySpread', 'semanticVersion', 'operatorVersion', 'memoryFsSize'] as const;

/** Text of a set's configuration in canonical form, so that spelling and comments do not make a difference. */
export function canonicalConfig(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return renderToml(parseToml(text));
}

/** An empty text is a version that cannot be read, as upstream, and not one that was left out. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * The spec of a set as its cluster gives it: image, inherited fields, pull policy and the label that leads from a pod
 * to its cluster. @throws TomlSyntaxError when its configuration is not TOML
 */
export function inheritFrom<T extends PodSetSpec>(cluster: MatrixOneClusterSpec, clusterName: string, spec: T): T {
  const taken = inherited.filter((field) => isEmpty(spec[field]) && !isEmpty(cluster[field]));
  const image = spec.image || imageOf(cluster);
  const config = canonicalConfig(spec.config);
  const pullPolicy = spec.overlay?.imagePullPolicy ?? cluster.imagePullPolicy;
  const { config: _, ...rest } = spec;
  return {
    ...(rest as T),
    ...Object.fromEntries(taken.map((field) => [field, cluster[field]])),
    image,
    ...(config === undefined ? {} : { config }),
    overlay: {
      ...spec.overlay,
      ...(pullPolicy ? { imagePullPolicy: pullPolicy } : {}),
      podLabels: { ...spec.overlay?.podLabels, [LABEL_CLUSTER]: clusterName },
    },
  };
}
