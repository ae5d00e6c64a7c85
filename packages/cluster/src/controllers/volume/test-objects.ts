import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@coxswain/k8s';
import { provisioner } from './names.ts';

/** A claim of 1Gi named `data`. @param more of its spec */
export function claim(more: object = {}, name = 'data'): PersistentVolumeClaim {
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
  };
}

/** A volume of the class `manual` that was made by hand. @param more of its spec */
export function volume(name: string, size: string, more: object = {}): PersistentVolume {
  return {
    metadata: { name },
    spec: {
      capacity: { storage: size },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'manual',
      hostPath: { path: `/data/${name}` },
      ...more,
    },
  };
}

/** A class of the embedded provisioner, named `late`. */
export function storageClass(more: object = {}, name = 'late'): StorageClass {
  return { metadata: { name }, provisioner, ...more };
}

/** A pod that mounts the claim `data`. */
export function user(name = 'user', more: object = {}): Pod {
  return {
    metadata: { name },
    spec: {
      containers: [{ name: 'c', image: 'app:1' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
      ...more,
    },
  };
}
