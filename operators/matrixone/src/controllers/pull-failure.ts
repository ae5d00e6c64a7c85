import type { ContainerStatus } from '@coxswain/k8s';

/** What container runtimes write before the names of images that have no registry. */
const registry = /^(docker\.io\/)?(library\/)?/;
/** How nodes and runtimes name what they want: the image, or a reference to it. */
const quoted = /\b(?:image|reference) "([^"\s]+)"/;

/** An image as its runtime knows it, however it is written. */
function bare(image: string): string {
  // Of a tag and a digest the digest counts.
  const name = image.replace(registry, '').replace(/:[^/:@]+@/, '@');
  return /[:@][^/]*$/.test(name) ? name : `${name}:latest`;
}

/** Whether words name an image: not one whose name goes on. */
function mentions(words: string, image: string): boolean {
  const from = words.indexOf(image);
  if (image === '' || from < 0) return false;
  const after = words.slice(from + image.length);
  return !/^[\w.-]/.test(after) || mentions(after, image);
}

/**
 * The image that a node speaks of when it says that one cannot be pulled. For as long as it pauses that may be the one which the pod had before
 * its image was changed; and the image of the status may be the one that ran before.
 * @param wanted the image that the pod has now
 */
export function failedImage({ image, state, lastState, containerID }: ContainerStatus, wanted: string): string {
  const words = state?.waiting?.message ?? '';
  const [, told] = quoted.exec(words) ?? [];
  // The longer first: its name may hold the other's.
  const mentioned = [wanted, image].sort((a, b) => b.length - a.length).find((one) => mentions(words, one));
  const hasRun = lastState?.terminated !== undefined || (containerID ?? '') !== '';
  // Nodes and runtimes take turns, and only these write the registry out.
  const failed = told?.replace(registry, '') ?? mentioned ?? ((!hasRun && image) || wanted);
  return bare(failed) === bare(wanted) ? wanted : failed;
}
