import {
  addLibrary,
  authorizerType,
  type CelType,
  type Environment,
  extendEnvironment,
  jsonPatchLibrary,
  kubernetesEnvironment,
  mutationTypes,
  resourceCheckType,
  structType,
  types,
} from '@coxswain/schema/cel';
import { namespaceType, requestFieldType, requestType } from './request-types.ts';

/** What an expression may use beside the objects and the request. */
export interface Uses {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Objects that change what is written. */
  readonly patches?: boolean;
}

/** Expressions that are being written may use a little less than those that are stored. */
export type Mode = 'written' | 'stored';

const { dyn } = types;
const environments = new Map<string, Environment>();

function build({ params, authorizer, patches }: Uses, mode: Mode): Environment {
  const base = patches ? addLibrary(kubernetesEnvironment[mode], jsonPatchLibrary) : kubernetesEnvironment[mode];
  return extendEnvironment(base, {
    variables: {
      object: dyn,
      oldObject: dyn,
      namespaceObject: namespaceType,
      request: requestType,
      ...(params ? { params: dyn } : {}),
      ...(authorizer ? { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType } : {}),
    },
    fieldType: (name, field) =>
      requestFieldType(name, field) ?? (patches ? mutationTypes.fieldType(name, field) : undefined),
    ...(patches ? { objectType: mutationTypes.objectType } : {}),
  });
}

/** The names that expressions about writes know. */
export function environmentFor(uses: Uses, mode: Mode): Environment {
  const key = `${uses.params} ${uses.authorizer} ${uses.patches === true} ${mode}`;
  let environment = environments.get(key);
  if (!environment) {
    environment = build(uses, mode);
    environments.set(key, environment);
  }
  return environment;
}

const variablesName = 'kubernetes.variables';

/** What kinds of values a variable hands on; more is seen when it is read. */
function handedOn(type: CelType): CelType {
  const { kind, params } = type;
  if (kind === 'list' || kind === 'map') return { ...type, params: params.map(handedOn) };
  return kind === 'struct' || kind === 'opaque' || kind === 'type' || kind === 'param' || kind === 'error' ? dyn : type;
}

/** An environment with the variables of a policy, as far as they are known, under `variables`. */
export function withVariables(base: Environment, variables: ReadonlyMap<string, CelType | undefined>): Environment {
  return extendEnvironment(base, {
    variables: { variables: structType(variablesName) },
    fieldType(name, field) {
      if (name !== variablesName) return base.fieldType(name, field);
      return variables.has(field) ? handedOn(variables.get(field) ?? dyn) : undefined;
    },
  });
}
