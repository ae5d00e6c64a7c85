import type { EnvVar, Job, Service } from '@coxswain/k8s';
import { type JobKind, type Overlay, PORT_BACKUP_STATUS, setLabels } from '../api/index.ts';
import { overlayContainer, overlayPod } from '../pods/index.ts';

const CONTAINER = 'br';

/** What a Job runs. */
export interface Program {
  /** Line for the shell of the container. */
  readonly line: string;
  readonly env: readonly EnvVar[];
}

/** Whose Job it is. */
export interface JobOwner {
  readonly kind: JobKind;
  readonly namespace: string;
  readonly name: string;
  readonly overlay?: Overlay | undefined;
}

/** A variable with the value of a key of a Secret. */
export function fromSecret(name: string, secret: string | undefined, key = name): EnvVar {
  return { name, valueFrom: { secretKeyRef: { key, ...(secret === undefined ? {} : { name: secret }) } } };
}

/**
 * The Job of a backup or restore (`spec/matrixone.md` §3.2): its program runs once, and its container tells how that ended until it is
 * removed. It is made suspended; whoever lets it run has taken note of its UID before.
 */
export function jobOf(owner: JobOwner, { line, env }: Program, image: string): Job {
  const { kind, namespace, name, overlay } = owner;
  const labels = setLabels(kind, namespace, name);
  const container = overlayContainer({ name: CONTAINER, image, command: ['/cmdrest', '--', line], env }, overlay);
  const pod = overlayPod({ containers: [container], restartPolicy: 'Never' }, overlay);
  return {
    metadata: { name, namespace, labels },
    spec: {
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      suspend: true,
      template: {
        metadata: {
          labels: { ...labels, ...overlay?.podLabels },
          ...(overlay?.podAnnotations ? { annotations: overlay.podAnnotations } : {}),
        },
        spec: { ...pod, ...(overlay?.volumes ? { volumes: overlay.volumes } : {}) },
      },
    },
  };
}

/** Under which the Job's container is asked how its program ended. */
export function statusServiceOf({ kind, namespace, name }: JobOwner): Service {
  const labels = setLabels(kind, namespace, name);
  return {
    metadata: { name, namespace, labels },
    spec: { type: 'ClusterIP', selector: labels, ports: [{ name: 'rest', port: PORT_BACKUP_STATUS }] },
  };
}
