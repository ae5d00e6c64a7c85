import type { ContainerStatus } from '@coxswain/k8s';
import { type ContainerReference, NodeRefusal } from '../../apiserver/index.ts';

/** Why a container that waits has no log. */
const waitingFor: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/**
 * The run whose log is meant: of a container that waits to start again the one before.
 * @returns the id of the run
 * @throws NodeRefusal in the kubelet's words
 */
export function logSource(
  statuses: readonly ContainerStatus[],
  { name: pod, container }: ContainerReference,
  previous: boolean,
): string {
  const which = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod)}`;
  const refuse = (what: string) => new NodeRefusal(400, what);
  const status = statuses.find(({ name }) => name === container);
  if (!status) throw refuse(`${which} is not available`);
  const last = status.lastState?.terminated?.containerID;
  if (previous) {
    if (last) return last;
    throw refuse(`previous terminated ${which} not found`);
  }
  const { waiting } = status.state ?? {};
  if (!waiting && status.containerID) return status.containerID;
  if (last) return last;
  const reason = waiting?.reason ?? '';
  throw refuse(`${which} is waiting to start: ${waitingFor[reason] ?? reason}`);
}
