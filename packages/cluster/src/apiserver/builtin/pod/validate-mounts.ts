import type { FieldError } from '@coxswain/schema';
import { given, listAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notFoundValue, notSupported, required } from '../shared/errors.ts';
import { descendingPath } from './paths.ts';

type Volumes = ReadonlyMap<string, ReadJson>;

/** Names and paths of the other list, which one may not use again. */
function taken(entries: readonly ReadJson[], pathKey: string) {
  const byName = new Map(entries.map((entry) => [textAt(entry, 'name'), textAt(entry, pathKey)]));
  return { names: new Set(byName.keys()), paths: new Set(byName.values()) };
}

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const recursions = ['Disabled', 'Enabled', 'IfPossible'];

function validatePropagation(mount: ReadJson, container: ReadJson, field: string): readonly FieldError[] {
  const mode = mount.mountPropagation;
  if (!given(mode)) return [];
  if (!propagations.includes(String(mode))) return [notSupported(field, mode, propagations)];
  if (mode !== 'Bidirectional' || objectAt(container, 'securityContext')?.privileged === true) return [];
  return [forbiddenField(field, 'Bidirectional mount propagation is available only to privileged containers')];
}

function validateRecursion(mount: ReadJson, field: string): readonly FieldError[] {
  const mode = mount.recursiveReadOnly;
  if (!given(mode) || mode === 'Disabled') return [];
  if (!recursions.includes(String(mode))) return [notSupported(field, mode, recursions)];
  const errors: FieldError[] = [];
  if (mount.readOnly !== true) errors.push(forbiddenField(field, 'may only be specified when readOnly is true'));
  if (given(mount.mountPropagation) && mount.mountPropagation !== 'None') {
    errors.push(forbiddenField(field, 'may only be specified when mountPropagation is None or not specified'));
  }
  return errors;
}

function validateSubPaths(mount: ReadJson, path: string, field: string): readonly FieldError[] {
  const subPath = textAt(mount, 'subPath');
  const expression = textAt(mount, 'subPathExpr');
  const errors = subPath === '' ? [] : [...descendingPath(subPath, `${field}.subPath`)];
  if (expression === '') return errors;
  if (subPath !== '') {
    errors.push(invalidValue(`${path}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'));
  }
  return [...errors, ...descendingPath(expression, `${field}.subPathExpr`)];
}

const bindOptions = ['nodev', 'noexec', 'nosuid'];

function validateBindOptions(mount: ReadJson, volume: ReadJson | undefined, field: string): readonly FieldError[] {
  const options = listAt(mount, 'bindMountOptions');
  const errors: FieldError[] = [];
  options.forEach((option, i) => {
    if (!bindOptions.includes(String(option))) errors.push(notSupported(`${field}[${i}]`, option, bindOptions));
    if (options.indexOf(option) < i) errors.push(duplicate(`${field}[${i}]`, option));
  });
  if (options.length > 0 && objectAt(volume, 'image')) {
    errors.push(invalidValue(field, options, 'bindMountOptions may not be used with image volumes'));
  }
  return errors;
}

/** Mounts of a container against the pod's volumes. */
export function validateMounts(container: ReadJson, volumes: Volumes, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const points = new Set<string>();
  const devices = taken(objectsAt(container, 'volumeDevices'), 'devicePath');
  objectsAt(container, 'volumeMounts').forEach((mount, i) => {
    const path = `${field}[${i}]`;
    const name = textAt(mount, 'name');
    const point = textAt(mount, 'mountPath');
    if (name === '') errors.push(required(`${path}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${path}.name`, name));
    if (point === '') errors.push(required(`${path}.mountPath`));
    if (points.has(point)) errors.push(invalidValue(`${path}.mountPath`, point, 'must be unique'));
    points.add(point);
    if (devices.names.has(name)) {
      errors.push(invalidValue(`${path}.name`, name, 'must not already exist in volumeDevices'));
    }
    if (devices.paths.has(point)) {
      errors.push(invalidValue(`${path}.mountPath`, point, 'must not already exist as a path in volumeDevices'));
    }
    errors.push(
      ...validateSubPaths(mount, path, field),
      ...validatePropagation(mount, container, `${field}.mountPropagation`),
      ...validateRecursion(mount, `${field}.recursiveReadOnly`),
      ...validateBindOptions(mount, volumes.get(name), `${path}.bindMountOptions`),
    );
  });
  return errors;
}

const blockText = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';

/** Raw block devices of a container against the pod's volumes. */
export function validateDevices(container: ReadJson, volumes: Volumes, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = taken(objectsAt(container, 'volumeMounts'), 'mountPath');
  objectsAt(container, 'volumeDevices').forEach((device, i) => {
    const [nameField, pathField] = [`${field}[${i}].name`, `${field}[${i}].devicePath`];
    const name = textAt(device, 'name');
    const path = textAt(device, 'devicePath');
    const volume = volumes.get(name);
    if (name === '') errors.push(required(nameField));
    if (names.has(name)) errors.push(invalidValue(nameField, name, 'must be unique'));
    if (!volume) errors.push(notFoundValue(nameField, name));
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) errors.push(invalidValue(nameField, name, blockText));
    if (path === '') errors.push(required(pathField));
    if (paths.has(path)) errors.push(invalidValue(pathField, path, 'must be unique'));
    if (path.split('/').includes('..')) {
      errors.push(invalidValue(pathField, path, "can not contain backsteps ('..')"));
    } else paths.add(path);
    if (mounts.names.has(name)) errors.push(invalidValue(nameField, name, 'must not already exist in volumeMounts'));
    if (mounts.paths.has(path)) {
      errors.push(invalidValue(pathField, path, 'must not already exist as a path in volumeMounts'));
    }
    if (name !== '') names.add(name);
  });
  return errors;
}
