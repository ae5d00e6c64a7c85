import { objectAt, objectsAt, type ReadJson } from '../../builtin/shared/draft.ts';
import { textsAt } from '../matching/index.ts';
import { procMount } from './baseline-checks.ts';
import type { Check, Judge } from './check.ts';
import { blamed, hasOwnUsers, isWindows, named, nameOf, quoted, securityOf, sorted } from './pod-view.ts';
import { seccompRestricted } from './seccomp.ts';

const unlessWindows =
  (judge: Judge): Judge =>
  (pod) =>
    isWindows(pod) ? undefined : judge(pod);

const unlessOwnUsers =
  (judge: Judge): Judge =>
  (pod) =>
    hasOwnUsers(pod) ? undefined : judge(pod);

const escalation: Judge = ({ containers }) => {
  const bad = containers.filter((container) => securityOf(container).allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  const detail = `${named('container', bad.map(nameOf))} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: 'allowPrivilegeEscalation != false', detail };
};

const capabilities: Judge = ({ containers }) => {
  const of = (container: ReadJson, key: string) => textsAt(objectAt(securityOf(container), 'capabilities') ?? {}, key);
  const foreign = (container: ReadJson) => of(container, 'add').filter((one) => one !== 'NET_BIND_SERVICE');
  const keeping = containers.filter((container) => !of(container, 'drop').includes('ALL'));
  const adding = containers.filter((container) => foreign(container).length > 0);
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${named('container', keeping.map(nameOf))} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const names = quoted(sorted(adding.flatMap(foreign)));
    details.push(
      `${named('container', adding.map(nameOf))} must not include ${names} in securityContext.capabilities.add`,
    );
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

const otherVolumes = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

const volumes: Judge = ({ spec }) => {
  const bad = objectsAt(spec, 'volumes').filter((volume) => !allowedVolumes.some((key) => objectAt(volume, key)));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map((volume) => otherVolumes.find((key) => objectAt(volume, key)) ?? 'unknown'));
  const verb = bad.length === 1 ? 'uses' : 'use';
  const detail = `${named('volume', bad.map(nameOf))} ${verb} ${named('restricted volume type', types)}`;
  return { reason: 'restricted volume types', detail };
};

const nonRoot: Judge = ({ spec, containers }) => {
  const says = (parent: ReadJson) => securityOf(parent).runAsNonRoot;
  const reason = 'runAsNonRoot != true';
  const who = blamed(says(spec) === false, containers.filter((container) => says(container) === false).map(nameOf));
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (says(spec) === true) return undefined;
  const silent = containers.filter((container) => says(container) !== true).map(nameOf);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${named('container', silent)} must set securityContext.runAsNonRoot=true` };
};

const rootUser: Judge = ({ spec, containers }) => {
  const isRoot = (parent: ReadJson) => securityOf(parent).runAsUser === 0;
  const who = blamed(isRoot(spec), containers.filter(isRoot).map(nameOf));
  return who === '' ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
};

/** What a hardened workload does without. */
export const restrictedChecks: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    versions: [
      { since: 8, judge: escalation },
      { since: 25, judge: unlessWindows(escalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    versions: [
      { since: 22, judge: capabilities },
      { since: 25, judge: unlessWindows(capabilities) },
    ],
    overrides: 'capabilities_baseline',
  },
  {
    id: 'procMount_restricted',
    level: 'restricted',
    versions: [{ since: 35, judge: procMount }],
    overrides: 'procMount',
  },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    versions: [{ since: 0, judge: volumes }],
    overrides: 'hostPathVolumes',
  },
  {
    id: 'runAsNonRoot',
    level: 'restricted',
    versions: [
      { since: 0, judge: nonRoot },
      { since: 35, judge: unlessOwnUsers(nonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    level: 'restricted',
    versions: [
      { since: 23, judge: rootUser },
      { since: 35, judge: unlessOwnUsers(rootUser) },
    ],
  },
  seccompRestricted,
];
