import type { Container, Pod } from '@coxswain/k8s';
import type { NodeInfo } from '../state/node-info.ts';
import type { Plugin } from './types.ts';

const megabyte = 1024 * 1024;
const least = 23 * megabyte;
const mostPerImage = 1000 * megabyte;

/** `nginx` is `nginx:latest`, as nodes list it. */
function normalized(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}

function imagesOf({ spec }: Pod): string[] {
  const images = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ image }: Container) => image);
  const volumes = (spec?.volumes ?? []).map(({ image }) => image?.reference);
  return [...images, ...volumes].flatMap((image) => (image ? [normalized(image)] : []));
}

/** Size in bytes of each image that one of the nodes has, and the number of nodes that have it. */
function spreadOf(nodes: readonly NodeInfo[], wanted: ReadonlySet<string>) {
  const found = new Map<string, { size: number; holders: Set<NodeInfo> }>();
  for (const info of nodes)
    for (const { names, sizeBytes = 0 } of info.node?.status?.images ?? [])
      for (const name of names ?? []) {
        if (!wanted.has(name)) continue;
        const entry = found.get(name) ?? { size: sizeBytes, holders: new Set() };
        found.set(name, entry);
        entry.holders.add(info);
      }
  return found;
}

/** Nodes that have large images of the pod already; the rarer an image, the less it counts, so that pods do not heap up. */
export const imageLocality: Plugin = {
  name: 'ImageLocality',
  weight: 1,
  score({ info, state }, nodes) {
    if (nodes.every(({ node }) => !node?.status?.images?.length)) return undefined;
    const images = imagesOf(info.pod);
    const spread = spreadOf(state.nodes, new Set(images));
    const most = mostPerImage * images.length;
    return nodes.map((node) => {
      const sum = images.reduce((total, image) => {
        const entry = spread.get(image);
        if (!entry?.holders.has(node)) return total;
        return total + Math.trunc((entry.size * entry.holders.size) / state.nodes.length);
      }, 0);
      return Math.trunc((100 * (Math.min(most, Math.max(least, sum)) - least)) / (most - least));
    });
  },
};
