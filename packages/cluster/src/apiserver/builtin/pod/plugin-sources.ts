import type { FieldError } from '@coxswain/schema';
import { given, listAt, mapAt, numberAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required, tooLong } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain, rangeText } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';
import { descendingPath, noBacksteps } from './paths.ts';

/** What one kind of volume source asks for, at its field. */
export type SourceRule = (source: ReadJson, field: string) => readonly FieldError[];

/** Texts and lists that may not be empty. */
export const needed =
  (...keys: readonly string[]): SourceRule =>
  (source, field) =>
    keys
      .filter((key) => textAt(source, key) === '' && listAt(source, key).length === 0)
      .map((key) => required(`${field}.${key}`));

const all =
  (...rules: readonly SourceRule[]): SourceRule =>
  (source, field) =>
    rules.flatMap((rule) => rule(source, field));

function partition(source: ReadJson, field: string): readonly FieldError[] {
  const value = numberAt(source, 'partition') ?? 0;
  return value < 0 || value > 255 ? [invalidValue(`${field}.partition`, value, rangeText(1, 255))] : [];
}

/** The name in a reference to a secret. */
const secretName: SourceRule = (source, field) => {
  const ref = objectAt(source, 'secretRef');
  return ref && textAt(ref, 'name') === '' ? [required(`${field}.secretRef.name`)] : [];
};

const iscsiForms: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

function iscsiName(name: string, field: string, startText: string): readonly FieldError[] {
  const form = iscsiForms[name.slice(0, 3)];
  if (!form) return [invalidValue(field, name, startText)];
  return form.test(name) ? [] : [invalidValue(field, name, 'must be valid format')];
}

/** `startText`: what is said of names that start with none of the three forms. */
export const iscsi =
  (startText: string): SourceRule =>
  (source, field) => {
    const errors = [...needed('targetPortal', 'iqn')(source, field)];
    const name = textAt(source, 'iqn');
    if (name !== '') errors.push(...iscsiName(name, `${field}.iqn`, startText));
    const lun = numberAt(source, 'lun') ?? 0;
    if (lun < 0 || lun > 255) errors.push(invalidValue(`${field}.lun`, lun, rangeText(0, 255)));
    const authenticated = source.chapAuthDiscovery === true || source.chapAuthSession === true;
    if (authenticated && !objectAt(source, 'secretRef')) errors.push(required(`${field}.secretRef`));
    if (given(source.initiatorName))
      errors.push(...iscsiName(textAt(source, 'initiatorName'), `${field}.initiatorname`, startText));
    return errors;
  };

function fibreChannel(source: ReadJson, field: string): readonly FieldError[] {
  const names = listAt(source, 'targetWWNs');
  const ids = listAt(source, 'wwids');
  const errors: FieldError[] = [];
  if (names.length === 0 && ids.length === 0) {
    errors.push(required(`${field}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (names.length === 0) return errors;
  if (ids.length > 0) {
    errors.push(invalidValue(`${field}.targetWWNs`, names, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  const lun = numberAt(source, 'lun');
  if (lun === undefined) errors.push(required(`${field}.lun`, 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > 255) errors.push(invalidValue(`${field}.lun`, lun, rangeText(0, 255)));
  return errors;
}

function nfs(source: ReadJson, field: string): readonly FieldError[] {
  const path = textAt(source, 'path');
  const errors = [...needed('server', 'path')(source, field)];
  return path.startsWith('/') ? errors : [...errors, invalidValue(`${field}.path`, path, 'must be an absolute path')];
}

function quobyte(source: ReadJson, field: string): readonly FieldError[] {
  const text = 'must be a host:port pair or multiple pairs separated by commas';
  const registry = textAt(source, 'registry');
  const errors: FieldError[] = [];
  if (registry === '') errors.push(required(`${field}.registry`, text));
  else if (textAt(source, 'tenant').length >= 65) {
    errors.push(required(`${field}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    const bad = registry.split(',').filter((pair) => !/^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair));
    errors.push(...bad.map(() => invalidValue(`${field}.registry`, registry, text)));
  }
  return [...errors, ...needed('volume')(source, field)];
}

function flocker(source: ReadJson, field: string): readonly FieldError[] {
  const name = textAt(source, 'datasetName');
  const id = textAt(source, 'datasetUUID');
  const errors: FieldError[] = [];
  if (name === '' && id === '') errors.push(required(field, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && id !== '') {
    errors.push(invalidValue(field, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (name.includes('/')) errors.push(invalidValue(`${field}.datasetName`, name, "must not contain '/'"));
  return errors;
}

function flexOptions(source: ReadJson, field: string): readonly FieldError[] {
  return Object.keys(mapAt(source, 'options')).flatMap((key) => {
    const domain = `.${key.split('/', 2).length === 2 ? key.slice(0, key.indexOf('/')) : key}`.toLowerCase();
    if (!domain.endsWith('.kubernetes.io') && !domain.endsWith('.k8s.io')) return [];
    return [invalidValue(`${field}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved')];
  });
}

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function azureDisk(source: ReadJson, field: string): readonly FieldError[] {
  const errors = [...needed('diskName', 'diskURI')(source, field)];
  const modes = ['None', 'ReadOnly', 'ReadWrite'];
  const kinds = ['Dedicated', 'Managed', 'Shared'];
  const { cachingMode, kind } = source;
  if (given(cachingMode) && !modes.includes(String(cachingMode))) {
    errors.push(notSupported(`${field}.cachingMode`, cachingMode, modes));
  }
  if (given(kind) && !kinds.includes(String(kind))) errors.push(notSupported(`${field}.kind`, kind, kinds));
  const uri = textAt(source, 'diskURI');
  if (kind === 'Managed' && !uri.startsWith('/subscriptions/')) {
    errors.push(notSupported(`${field}.diskURI`, uri, [managedDisk]));
  }
  if (given(kind) && kind !== 'Managed' && !uri.startsWith('https://')) {
    errors.push(notSupported(`${field}.diskURI`, uri, [blobDisk]));
  }
  return errors;
}

function storageos(source: ReadJson, field: string): readonly FieldError[] {
  const name = textAt(source, 'volumeName');
  const namespace = textAt(source, 'volumeNamespace');
  return [
    ...(name === '' ? [required(`${field}.volumeName`)] : formatErrors(name, `${field}.volumeName`, dnsLabel)),
    ...(namespace === '' ? [] : formatErrors(namespace, `${field}.volumeNamespace`, dnsLabel)),
    ...secretName(source, field),
  ];
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function hostPath(source: ReadJson, field: string): readonly FieldError[] {
  const path = textAt(source, 'path');
  if (path === '') return [required(`${field}.path`)];
  const errors = [...noBacksteps(path, `${field}.path`)];
  const { type } = source;
  if (given(type) && !hostPathTypes.includes(String(type))) {
    errors.push(notSupported(`${field}.type`, type, hostPathTypes));
  }
  return errors;
}

/** The name of a driver: a subdomain in any case, of 63 letters at most. */
export function validateDriverName(name: string, field: string): readonly FieldError[] {
  if (name === '') return [required(field)];
  const errors = name.length > 63 ? [tooLong(field, 63)] : [];
  return [...errors, ...dnsSubdomain(name.toLowerCase()).map((text) => invalidValue(field, name, text))];
}

/** Sources that pods and persistent volumes have in common, by their field. */
export const pluginSources: Readonly<Record<string, SourceRule>> = {
  hostPath,
  gcePersistentDisk: (source, field) =>
    all(needed('pdName'), partition)(source, field.replace(/gcePersistentDisk$/, 'persistentDisk')),
  awsElasticBlockStore: all(needed('volumeID'), partition),
  gitRepo: all(needed('repository'), (source, field) =>
    descendingPath(textAt(source, 'directory'), `${field}.directory`),
  ),
  nfs,
  iscsi: iscsi('must be valid format starting with iqn, eui, or naa'),
  glusterfs: needed('endpoints', 'path'),
  rbd: needed('monitors', 'image'),
  cinder: all(needed('volumeID'), secretName),
  cephfs: needed('monitors'),
  flexVolume: all(needed('driver'), flexOptions),
  flocker,
  fc: fibreChannel,
  azureFile: needed('secretName', 'shareName'),
  azureDisk,
  quobyte,
  vsphereVolume: needed('volumePath'),
  photonPersistentDisk: needed('pdID'),
  portworxVolume: needed('volumeID'),
  scaleIO: needed('gateway', 'system', 'volumeName'),
  storageos,
};
