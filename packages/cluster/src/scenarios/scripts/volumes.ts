import { PersistentVolume, PersistentVolumeClaim, Pod, StatefulSet, StorageClass } from '@coxswain/k8s';
import { container, isReady, podSpec, workload } from '../build.ts';
import type { Scenario } from '../types.ts';

const claim = (name: string, more: object = {}) => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
});

const using = (claimName: string) =>
  podSpec({
    containers: [container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  });

/** What binds volumes to claims is the same everywhere; what makes them is not, so they are made by hand. */
const volume = (name: string, storageClassName: string, more: object = {}) => ({
  metadata: { name },
  spec: {
    storageClassName,
    capacity: { storage: '2Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    hostPath: { path: '/tmp', type: 'Directory' },
    ...more,
  },
});

const bind: Scenario = {
  name: 'bind-and-release',
  also: [{ kind: PersistentVolume, names: /^scenario-bind$/ }],
  async run(stage) {
    const storageClassName = 'scenario-none';
    await stage.create(PersistentVolumeClaim, claim('data', { storageClassName }));
    await stage.wait(2);
    await stage.create(PersistentVolume, volume('scenario-bind', storageClassName));
    await stage.until('it is bound', () => stage.seen(PersistentVolumeClaim, 'data')?.status?.phase === 'Bound', 60);
    await stage.wait(5);
    await stage.create(Pod, { metadata: { name: 'user' }, spec: using('data') });
    await stage.until('its user is ready', () => isReady(stage.seen(Pod, 'user')));
    await stage.delete(PersistentVolumeClaim, 'data');
    await stage.wait(2);
    await stage.delete(Pod, 'user');
    await stage.until('it is gone', () => !stage.seen(PersistentVolumeClaim, 'data'));
    const released = () => stage.seen(PersistentVolume, 'scenario-bind')?.status?.phase === 'Released';
    await stage.until('the volume is released', released);
    await stage.delete(PersistentVolume, 'scenario-bind');
  },
};

const firstConsumer: Scenario = {
  name: 'bind-for-first-consumer',
  also: [{ kind: PersistentVolume, names: /^scenario-first$/ }],
  async run(stage) {
    const storageClassName = 'scenario-first';
    await stage.create(StorageClass, {
      metadata: { name: storageClassName },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await stage.create(PersistentVolume, volume('scenario-first', storageClassName));
    await stage.create(PersistentVolumeClaim, claim('data', { storageClassName }));
    await stage.wait(2);
    await stage.create(Pod, { metadata: { name: 'user' }, spec: using('data') });
    await stage.until('its user is ready', () => isReady(stage.seen(Pod, 'user')));
    await stage.delete(Pod, 'user');
    await stage.delete(PersistentVolumeClaim, 'data');
    await stage.until('it is gone', () => !stage.seen(PersistentVolumeClaim, 'data'));
    await stage.delete(PersistentVolume, 'scenario-first');
    await stage.delete(StorageClass, storageClassName);
  },
};

const missing: Scenario = {
  name: 'claim-that-is-not-there',
  async run(stage) {
    await stage.create(Pod, { metadata: { name: 'user' }, spec: using('none') });
    await stage.wait(3);
  },
};

const templates: Scenario = {
  name: 'claims-of-stateful-set',
  ordered: true,
  also: [{ kind: PersistentVolume, names: /^scenario-db-\d$/ }],
  async run(stage) {
    const storageClassName = 'scenario-none';
    const claimed = (ordinal: number) => {
      const claimRef = { kind: 'PersistentVolumeClaim', namespace: stage.namespace, name: `data-db-${ordinal}` };
      return stage.create(PersistentVolume, volume(`scenario-db-${ordinal}`, storageClassName, { claimRef }));
    };
    await claimed(0);
    await claimed(1);
    const volumeClaimTemplates = [claim('data', { storageClassName })];
    const persistentVolumeClaimRetentionPolicy = { whenScaled: 'Delete', whenDeleted: 'Retain' };
    const containers = [container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })];
    const more = { serviceName: 'db', volumeClaimTemplates, persistentVolumeClaimRetentionPolicy };
    await stage.create(StatefulSet, workload('db', 2, podSpec({ containers }), more));
    await stage.until('both are ready', () => stage.all(Pod).filter(isReady).length === 2);
    await stage.patch(StatefulSet, 'db', { spec: { replicas: 1 } });
    await stage.until('the second claim is gone', () => !stage.seen(PersistentVolumeClaim, 'data-db-1'));
    await stage.delete(StatefulSet, 'db');
    await stage.until('all pods are gone', () => stage.all(Pod).length === 0);
    await stage.delete(PersistentVolumeClaim, 'data-db-0');
    await stage.until('all claims are gone', () => stage.all(PersistentVolumeClaim).length === 0);
    for (const name of ['scenario-db-0', 'scenario-db-1']) await stage.delete(PersistentVolume, name);
  },
};

export const volumes: readonly Scenario[] = [bind, firstConsumer, missing, templates];
