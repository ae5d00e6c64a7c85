import { cnSetNames, dnSetNames, logSetNames, proxySetNames, type SetKind, webUINames } from '../api/index.ts';
import { type Problem, unless } from './problems.ts';

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const longestLabel = 63;
/** Of the revision of a template, at most, with the hyphen before it: pods of OpenKruise's have it in a label, behind their workload's name. */
const revision = '-4294967295';

/** The longest names that are made of a set's, as of one without a name. */
const suffixes: Readonly<Record<SetKind, readonly string[]>> = {
  LogSet: [logSetNames('').discovery, logSetNames('').workload + revision],
  DNSet: [dnSetNames('').headless, dnSetNames('').workload + revision],
  CNSet: [cnSetNames('').headless, cnSetNames('').workload + revision],
  ProxySet: [proxySetNames('').service, proxySetNames('').workload + revision],
  // Its containers are named after it, too.
  WebUI: [webUINames('').service, '-frontend'],
};

/** Characters that the name of a set may have. */
export function longestSetName(kind: SetKind): number {
  return longestLabel - Math.max(...suffixes[kind].map(({ length }) => length));
}

/**
 * What is wrong with the name of a set: its Services, pods and labels have it in theirs. For those that are made; of one that is there already it is
 * known whether it works.
 */
export function setNameProblems(kind: SetKind, name: string): readonly Problem[] {
  const longest = longestSetName(kind);
  return [
    ...unless(name.length <= longest, 'metadata.name', `must be no more than ${longest} characters`),
    ...unless(
      label.test(name),
      'metadata.name',
      'must be lower case letters, digits and hyphens: services are named after it',
    ),
  ];
}
