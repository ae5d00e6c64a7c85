import type { KubeObject } from '@coxswain/k8s';
import type { AdmissionContext } from '@coxswain/runtime/webhook';
import type { Resource } from '@coxswain/schema';
import {
  CNSet,
  DNSet,
  LogSet,
  MatrixOneCluster,
  type MatrixOneClusterSpec,
  type PodSetSpec,
  ProxySet,
  type SetKind,
  WebUI,
} from '../api/index.ts';
import { cnGroupsOf } from '../children/index.ts';
import {
  type DefaultServiceArgs,
  defaultCluster,
  defaultCNSet,
  defaultDNSet,
  defaultLogSet,
  defaultProxySet,
  initialOperatorVersion,
} from '../defaults/index.ts';
import {
  clusterProblems,
  clusterUpdateProblems,
  cnSetProblems,
  cnSetUpdateProblems,
  dnSetProblems,
  dnSetUpdateProblems,
  logSetProblems,
  logSetUpdateProblems,
  longestSetName,
  type Problem,
  proxySetProblems,
  setNameProblems,
  webUIProblems,
} from '../validation/index.ts';
import { bucketProblems } from './bucket.ts';

/** What is judged of each set in the same way, and the path of the spec that has it: `spec.logService`. */
export interface PlacedSet {
  readonly path: string;
  readonly spec: Pick<PodSetSpec, 'overlay' | 'operatorVersion'>;
}

/** An object that is a set. */
function itself({ spec }: { readonly spec?: PodSetSpec }): readonly PlacedSet[] {
  return spec ? [{ path: 'spec', spec }] : [];
}

/** What is wrong with a set, its name included. */
function withName<T extends KubeObject>(
  kind: SetKind,
  problems: (object: T) => readonly Problem[],
): (object: T) => readonly Problem[] {
  return (object) => [...setNameProblems(kind, object.metadata.name), ...problems(object)];
}

/** What admission knows of a kind. All of it is asked about objects that the schema has accepted. */
export interface Rules<T extends KubeObject> {
  readonly resource: Resource<T>;
  /** The object with its defaults. */
  defaulted?(object: T): T;
  /** What is set once, when an object is created. */
  created?(object: T): T;
  /** What a defaulted object may not say. */
  problems(object: T): readonly Problem[];
  /** What a defaulted object may not become, whatever else is wrong with it. */
  changes?(old: T, next: T): readonly Problem[];
  /** Its sets, each with the path of its spec. */
  sets(object: T): readonly PlacedSet[];
  /** What only other objects tell; of a change, what they had no say in before. */
  others?(object: T, old: T | undefined, context: AdmissionContext): Promise<readonly Problem[]>;
}

/** Settings of the rules. */
export interface RulesOptions {
  readonly serviceArgs: DefaultServiceArgs;
  readonly s3Reclaim: boolean;
}

export function logSetRules({ serviceArgs, s3Reclaim }: RulesOptions): Rules<LogSet> {
  const field = 'spec.sharedStorage.s3';
  return {
    resource: LogSet,
    defaulted: (object) => ({ ...object, spec: defaultLogSet(object.spec, serviceArgs) }),
    problems: withName<LogSet>('LogSet', logSetProblems),
    sets: itself,
    changes: (old, next) => logSetUpdateProblems(old.spec, next.spec),
    ...(s3Reclaim && {
      others: ({ spec }, old, context) =>
        bucketProblems(field, spec.sharedStorage.s3, old?.spec.sharedStorage.s3, context),
    }),
  };
}

export function dnSetRules({ serviceArgs }: RulesOptions): Rules<DNSet> {
  return {
    resource: DNSet,
    defaulted: (object) => ({ ...object, spec: defaultDNSet(object.spec, serviceArgs) }),
    problems: withName<DNSet>('DNSet', dnSetProblems),
    sets: itself,
    changes: (old, next) => dnSetUpdateProblems(old.spec, next.spec),
  };
}

export function cnSetRules({ serviceArgs }: RulesOptions): Rules<CNSet> {
  return {
    resource: CNSet,
    defaulted: (object) => ({ ...object, spec: defaultCNSet(object.spec, serviceArgs) }),
    problems: withName<CNSet>('CNSet', cnSetProblems),
    sets: itself,
    changes: (old, next) => cnSetUpdateProblems(old.spec, next.spec),
  };
}

export function proxySetRules({ serviceArgs }: RulesOptions): Rules<ProxySet> {
  return {
    resource: ProxySet,
    defaulted: (object) => ({ ...object, spec: defaultProxySet(object.spec, serviceArgs) }),
    problems: withName<ProxySet>('ProxySet', proxySetProblems),
    sets: itself,
  };
}

export const webUIRules: Rules<WebUI> = {
  resource: WebUI,
  problems: withName<WebUI>('WebUI', webUIProblems),
  sets: itself,
};

/** The sets of a cluster, each with its path. */
function setsOf(spec: MatrixOneClusterSpec): readonly PlacedSet[] {
  const groups = cnGroupsOf(spec).map(({ name, spec: group }, i) => ({
    path: i < (spec.cnGroups?.length ?? 0) ? `spec.cnGroups[${i}]` : `spec.${name}`,
    spec: group,
  }));
  const { logService, tn, dn, proxy, webui } = spec;
  const named = Object.entries({ logService, tn, dn, proxy, webui });
  const { operatorVersion } = spec;
  const whole = operatorVersion === undefined ? [] : [{ path: 'spec', spec: { operatorVersion } }];
  return [...whole, ...groups, ...named.flatMap(([name, set]) => (set ? [{ path: `spec.${name}`, spec: set }] : []))];
}

export function clusterRules({ serviceArgs, s3Reclaim }: RulesOptions): Rules<MatrixOneCluster> {
  const field = 'spec.logService.sharedStorage.s3';
  return {
    resource: MatrixOneCluster,
    defaulted: (object) => ({ ...object, spec: defaultCluster(object.spec, serviceArgs) }),
    created: (object) => ({
      ...object,
      spec: { ...object.spec, operatorVersion: initialOperatorVersion(object.spec) },
    }),
    problems: (object) => clusterProblems(object, longestSetName('CNSet')),
    sets: ({ spec }) => setsOf(spec),
    changes: (old, next) => clusterUpdateProblems(old.spec, next.spec),
    ...(s3Reclaim && {
      others: ({ spec }, old, context) =>
        bucketProblems(field, spec.logService.sharedStorage.s3, old?.spec.logService.sharedStorage.s3, context),
    }),
  };
}
