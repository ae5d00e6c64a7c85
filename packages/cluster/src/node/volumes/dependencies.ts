import {
  ConfigMap,
  type EnvVarSource,
  type Kind,
  type KubeObject,
  PersistentVolumeClaim,
  Pod,
  Secret,
  type Volume,
} from '@coxswain/k8s';
import type { ControllerBuilder } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { claimNameOf } from '../../controllers/volume/index.ts';
import type { AnyContainer } from '../runtime.ts';

const watched: readonly Kind[] = [ConfigMap, Secret, PersistentVolumeClaim];

/** In every namespace, and in the token volume of every pod: it never changes while a cluster lives. */
const authority = 'kube-root-ca.crt';

const podsByDependency = 'dependency';

type Add = (kind: Kind, name: string | undefined) => void;

function addOfVolume(pod: Pod, volume: Volume, add: Add): void {
  const { configMap, secret, projected } = volume;
  add(ConfigMap, configMap?.name);
  add(Secret, secret?.secretName);
  add(PersistentVolumeClaim, claimNameOf(pod, volume));
  for (const source of projected?.sources ?? []) {
    add(ConfigMap, source.configMap?.name);
    add(Secret, source.secret?.name);
  }
}

function addOfContainer({ env = [], envFrom = [] }: AnyContainer, add: Add): void {
  for (const { configMapRef, secretRef } of envFrom) {
    add(ConfigMap, configMapRef?.name);
    add(Secret, secretRef?.name);
  }
  const addSource = ({ configMapKeyRef, secretKeyRef }: EnvVarSource) => {
    add(ConfigMap, configMapKeyRef?.name);
    add(Secret, secretKeyRef?.name);
  };
  for (const { valueFrom } of env) if (valueFrom) addSource(valueFrom);
}

const dependency = ({ plural }: Kind, namespace: string, name: string) => `${plural}/${namespace}/${name}`;

/** The objects that a pod's volumes and environments are made of, as `configmaps/NAMESPACE/NAME`; none for a pod that mounts but its token. */
export function dependenciesOf(pod: Pod): readonly string[] {
  const { namespace = '' } = pod.metadata;
  const found = new Set<string>();
  const add: Add = (kind, name) => {
    if (name && name !== authority) found.add(dependency(kind, namespace, name));
  };
  const { volumes = [], initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
  for (const volume of volumes) addOfVolume(pod, volume, add);
  for (const container of [...initContainers, ...containers, ...ephemeralContainers]) addOfContainer(container, add);
  return [...found];
}

/** Has pods worked again when an object that they mount, or take their environment from, changes. */
export function watchDependencies(manager: Manager, builder: ControllerBuilder<Pod>): ControllerBuilder<Pod> {
  manager.cache.informer(Pod).addIndex(podsByDependency, dependenciesOf);
  for (const kind of watched)
    builder.watches(kind, {
      map: function* ({ metadata }: KubeObject, { cache }) {
        const wanted = dependency(kind, metadata.namespace ?? '', metadata.name);
        for (const pod of cache.store(Pod).by(podsByDependency, wanted)) yield keyOf(pod);
      },
    });
  return builder;
}
