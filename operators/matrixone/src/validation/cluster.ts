import type { MatrixOneCluster, MatrixOneClusterSpec } from '../api/index.ts';
import { cnGroupsOf, webUIOf } from '../children/index.ts';
import { matrixOneVersionOf } from '../version/index.ts';
import { below, type Problem, unless } from './problems.ts';
import {
  cnSetSpecProblems,
  dnSetSpecProblems,
  logSetSpecProblems,
  proxySetSpecProblems,
  webUIProblems,
} from './sets.ts';

const label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const groupName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const longestName = 46;

/** Names of Services end at 63 characters, and the longest of a group is `<cluster>-<group>-cn-headless`. */
const longestWithService = 63 - '-cn-headless'.length;

function groupProblems(spec: MatrixOneClusterSpec, clusterName: string, longest: number): readonly Problem[] {
  const seen = new Set<string>([...(spec.tp ? ['tp'] : []), ...(spec.ap ? ['ap'] : [])]);
  return cnGroupsOf(spec).flatMap(({ name, spec: group }, i) => {
    const isDeprecated = i >= (spec.cnGroups?.length ?? 0);
    const path = isDeprecated ? `spec.${name}` : `spec.cnGroups[${i}]`;
    const isNew = isDeprecated || !seen.has(name);
    seen.add(name);
    return [
      ...unless(
        groupName.test(name),
        `${path}.name`,
        'must be lower case letters, digits and hyphens: services are named after it',
      ),
      ...unless(
        `${clusterName}-${name}`.length <= longest,
        `${path}.name`,
        `${clusterName}-${name} must be no more than ${longest} characters`,
      ),
      ...unless(isNew, `${path}.name`, 'name must be unique'),
      ...below(path, cnSetSpecProblems(group)),
    ];
  });
}

function versionProblems(spec: MatrixOneClusterSpec): readonly Problem[] {
  if (!spec.version) return [{ field: 'spec.version', message: 'version must be set' }];
  const sets = [spec.logService, spec.tn ?? spec.dn, ...cnGroupsOf(spec).map((group) => group.spec)];
  const known = sets.every((set) => {
    const image = set?.image || `:${spec.version}`;
    const semanticVersion = set?.semanticVersion ?? spec.semanticVersion;
    return matrixOneVersionOf({ image, ...(semanticVersion === undefined ? {} : { semanticVersion }) }) !== undefined;
  });
  return unless(
    known,
    'spec.semanticVersion',
    'a valid semanticVersion must be set or the image tag must be valid sematic version instead',
  );
}

function transactionProblems({ tn, dn }: MatrixOneClusterSpec): readonly Problem[] {
  if (tn && dn) {
    return [{ field: 'spec.dn', message: 'legacy component .spec.dn cannot be set when .spec.tn is set' }];
  }
  if (tn) return below('spec.tn', dnSetSpecProblems(tn));
  return dn ? below('spec.dn', dnSetSpecProblems(dn)) : [{ field: 'spec.tn', message: '.spec.tn must be set' }];
}

/**
 * What is wrong with a MatrixOneCluster, its sets included. Expects a defaulted spec.
 * @param longest characters of a CNSet's name; default: as many as its Services can have. Of one that is made it is known whether it has pods, too.
 */
export function clusterProblems(
  { metadata, spec }: Pick<MatrixOneCluster, 'metadata' | 'spec'>,
  longest = longestWithService,
): readonly Problem[] {
  const webUI = webUIOf({ metadata, spec });
  return [
    ...unless(metadata.name.length <= longestName, 'metadata.name', `must be no more than ${longestName} characters`),
    ...unless(
      label.test(metadata.name),
      'metadata.name',
      'must begin with a letter and have only lower case letters, digits and hyphens',
    ),
    ...versionProblems(spec),
    ...below('spec.logService', logSetSpecProblems(spec.logService)),
    ...transactionProblems(spec),
    ...groupProblems(spec, metadata.name, longest),
    ...(spec.proxy ? below('spec.proxy', proxySetSpecProblems(spec.proxy)) : []),
    ...(webUI ? below('spec.webui', webUIProblems(webUI)) : []),
  ];
}
