/** Policies whose expressions are held against the types of kinds. */
export interface TypeCase {
  readonly name: string;
  readonly rules: readonly object[];
  readonly expressions: readonly string[];
  readonly spec?: object;
}

const rule = (group: string, version: string, ...resources: readonly string[]) => ({
  operations: ['CREATE'],
  apiGroups: [group],
  apiVersions: [version],
  resources,
});

const deployments = rule('apps', 'v1', 'deployments');

export const typeCases: readonly TypeCase[] = [
  {
    name: 'fine',
    rules: [deployments],
    expressions: ['object.spec.replicas > 1', 'object.metadata.labels["a"] == "b"'],
  },
  {
    name: 'fields',
    rules: [deployments],
    expressions: [
      'object.spec.replica > 1',
      'object.spec.replicas == "1"',
      'object.spec.template.spec.containers.all(c, c.imgae.startsWith("x"))',
      'object.spec.template.spec.containers.all(c, c.image == 1)',
      'object.metadata.creationTimestamp > timestamp("2000-01-01T00:00:00Z")',
      'object.metadata.creationTimestamp == "x"',
      'object.spec.strategy.rollingUpdate.maxSurge == "1" || object.spec.strategy.rollingUpdate.maxSurge == 1',
      'object.spec.template.spec.containers.all(c, c.resources.requests["cpu"] == "1" || c.resources.requests["cpu"] == 1)',
      'object.metadata.managedFields.all(m, m.fieldsV1.x == 1)',
      'oldObject.nothing == 1',
    ],
  },
  {
    name: 'several',
    rules: [rule('', 'v1', 'pods', 'configmaps', 'pods/status'), rule('apps', 'v1', 'deployments', 'statefulsets')],
    expressions: ['object.data["a"] == "b"', 'object.spec.replicas > 1', 'object.metadata.name == "x"'],
  },
  {
    name: 'wild',
    rules: [
      rule('*', 'v1', 'pods'),
      rule('apps', '*', 'deployments'),
      rule('apps', 'v1', '*'),
      rule('none', 'v1', 'nothing'),
    ],
    expressions: ['object.nothing == 1'],
  },
  {
    name: 'params',
    rules: [deployments],
    expressions: ['params.data.x == "1"', 'params.nothing == 1', 'object.spec.replicas < int(params.data["max"])'],
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
  },
  {
    name: 'unknown-params',
    rules: [deployments],
    expressions: ['params.anything == 1'],
    spec: { paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' } },
  },
  {
    name: 'variables',
    rules: [deployments],
    expressions: [
      'variables.r > 1',
      'variables.r == "1"',
      'variables.w == 1',
      'variables.c.all(c, c.image == 1)',
      'variables.m.x == 1',
    ],
    spec: {
      variables: [
        { name: 'r', expression: 'object.spec.replicas' },
        { name: 'w', expression: 'object.spec.wrong' },
        { name: 'c', expression: 'object.spec.template.spec.containers' },
        { name: 'm', expression: 'object.metadata.labels' },
      ],
    },
  },
  {
    name: 'surroundings',
    rules: [deployments],
    expressions: [
      'authorizer.requestResource.check("get").allowed()',
      'authorizer.path("/x").check("get").allowed()',
      'request.options.x == 1',
      'namespaceObject.metadata.labels["a"] == "b"',
    ],
  },
  {
    name: 'schemas',
    rules: [rule('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')],
    expressions: [
      'object.spec.versions.all(v, v.schema.openAPIV3Schema.properties["spec"].type == 1)',
      'object.spec.group == 1',
    ],
  },
];

/** The policy of a case, with each expression as a message as well where that has the right type. */
export const typePolicy = ({ name, rules, expressions, spec = {} }: TypeCase) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: {
    matchConstraints: { resourceRules: rules },
    validations: expressions.map((expression, i) => ({
      expression,
      ...(i === 0 ? { messageExpression: 'string(object.absent)' } : {}),
    })),
    ...spec,
  },
});
