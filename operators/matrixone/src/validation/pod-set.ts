import { labelValueErrors, parseQuantity, qualifiedNameErrors, quantityValue } from '@coxswain/runtime/core';
import type { DataVolume, PodSetSpec } from '../api/index.ts';
import { parseToml } from '../toml/index.ts';
import { matrixOneVersionOf } from '../version/index.ts';
import { overlayProblems } from './overlay.ts';
import { type Problem, parsable, unless } from './problems.ts';

const fqdn = /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function nodeSelectorProblems(selector: Readonly<Record<string, string>>): readonly Problem[] {
  return Object.entries(selector).flatMap(([key, value]) => {
    const errors = [...qualifiedNameErrors(key), ...labelValueErrors(value)];
    return errors.map((message) => ({ field: 'spec.nodeSelector', message }));
  });
}

/** What is wrong with a quantity of something. */
export function amountProblems(field: string, amount: string | number): readonly Problem[] {
  const broken = parsable(field, () => parseQuantity(amount));
  if (broken.length > 0) return broken;
  return unless(parseQuantity(amount).nano >= 0n, field, 'must be greater than or equal to 0');
}

function resourceProblems(spec: PodSetSpec): readonly Problem[] {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  const all = [...Object.entries(requests), ...Object.entries(limits)];
  const broken = all.flatMap(([, amount]) => amountProblems('spec.resources', amount));
  if (broken.length > 0) return broken;
  return Object.entries(requests).flatMap(([name, amount]) => {
    const limit = limits[name];
    const fits = limit === undefined || parseQuantity(amount).nano <= parseQuantity(limit).nano;
    return unless(fits, `spec.resources.requests.${name}`, `must be less than or equal to the limit ${limit}`);
  });
}

/** What is wrong with how a set's metrics are found. */
export function exportProblems(spec: PodSetSpec): readonly Problem[] {
  const field = 'spec.promDiscoveryScheme';
  if (!spec.exportToPrometheus) return [];
  const scheme = spec.promDiscoveryScheme;
  if (scheme === undefined) {
    return [{ field, message: 'ExportToPrometheus is enabled but PromDiscoveryScheme is not provided' }];
  }
  const known = scheme === 'Pod' || scheme === 'Service';
  return unless(known, field, 'invalid PromDiscoveryScheme, must be Pod or Service');
}

/** Pods that one set may have: each is listed in its status, and an object holds no more. */
const mostPods = 5_000;

/** What is wrong with fields that every set has, also inside a MatrixOneCluster. */
export function commonProblems(spec: PodSetSpec, most = mostPods): readonly Problem[] {
  const percent = spec.memoryLimitPercent;
  const grace = spec.overlay?.terminationGracePeriodSeconds;
  return [
    ...unless(spec.replicas >= 0, 'spec.replicas', 'must be greater than or equal to 0'),
    ...unless(spec.replicas <= most, 'spec.replicas', `must be no more than ${most}`),
    ...parsable('spec.config', () => parseToml(spec.config ?? '')),
    ...unless(
      percent === undefined || (percent > 0 && percent <= 100),
      'spec.memoryLimitPercent',
      'memoryLimitPercent value must be in interval (0, 100]',
    ),
    ...unless(
      !spec.clusterDomain || fqdn.test(spec.clusterDomain),
      'spec.clusterDomain',
      'must be a fully qualified domain name',
    ),
    ...nodeSelectorProblems(spec.nodeSelector ?? {}),
    ...resourceProblems(spec),
    ...(spec.memoryFsSize === undefined ? [] : amountProblems('spec.memoryFsSize', spec.memoryFsSize)),
    ...unless(
      grace === undefined || grace >= 0,
      'spec.overlay.terminationGracePeriodSeconds',
      'must be greater than 0',
    ),
    ...overlayProblems(spec.overlay),
  ];
}

/** What is wrong with the image of a set: inside a MatrixOneCluster it may be left out. */
export function imageProblems(spec: PodSetSpec): readonly Problem[] {
  return [
    ...unless(Boolean(spec.image), 'spec.image', 'image must be set'),
    ...unless(
      matrixOneVersionOf(spec) !== undefined,
      'spec.semanticVersion',
      'a valid semanticVersion must be set or the image tag must be valid sematic version instead',
    ),
  ];
}

export function volumeProblems(field: string, volume: DataVolume | undefined): readonly Problem[] {
  if (!volume) return [];
  const broken = parsable(`${field}.size`, () => parseQuantity(volume.size));
  if (broken.length > 0) return broken;
  return unless(quantityValue(parseQuantity(volume.size)) > 0n, `${field}.size`, 'size must not be zero');
}
