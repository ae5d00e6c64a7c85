import { PersistentVolume } from '@coxswain/k8s';
import type { Action } from '@coxswain/runtime/actor';
import type { Bucket } from './kinds.ts';

export const makeDisk = (createDisk: (name: string) => Promise<void>): Action<Bucket> => ({
  name: 'MakeDisk',
  async run({ object, expect, store }) {
    const { name } = object.metadata;
    await createDisk(name);
    const made = () => store(PersistentVolume).get({ name })?.status?.phase === 'Available';
    expect('the disk', made, { timeout: 60_000 });
  },
});
