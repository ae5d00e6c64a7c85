import type { Plugin, Rejection } from './types.ts';

const name = 'VolumeRestrictions';
const inUse: Rejection = {
  plugin: name,
  reasons: [
    'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
  ],
  unresolvable: false,
};

/** Claims of mode ReadWriteOncePod have one pod at a time. */
export const volumeRestrictions: Plugin = {
  name,
  filter({ info, state, lookups }) {
    if (info.claims.length === 0) return undefined;
    const alone: string[] = [];
    for (const claimName of info.claims) {
      const claim = lookups.claim(info.namespace, claimName);
      if (!claim)
        return { plugin: name, reasons: [`persistentvolumeclaim "${claimName}" not found`], unresolvable: true };
      if (claim.spec?.accessModes?.includes('ReadWriteOncePod')) alone.push(claimName);
    }
    if (alone.length === 0) return undefined;
    return { check: () => (alone.some((claim) => state.usersOf(info.namespace, claim) > 0) ? inUse : undefined) };
  },
};
