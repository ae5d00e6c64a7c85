interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const group = (name: string) => {
  const version = { groupVersion: `${name}/v1`, version: 'v1' };
  return { name, versions: [version], preferredVersion: version };
};

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const resources = (groupVersion: string, ...all: readonly Resource[]) => ({
  kind: 'APIResourceList',
  groupVersion,
  resources: all.flatMap(({ name, kind, namespaced }) => [
    { name, singularName: kind.toLowerCase(), namespaced, kind, verbs },
    { name: `${name}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] },
  ]),
});

const groups = ['apiextensions.k8s.io', 'bench.dev'].map(group);

/** What a server says of itself, by path; with the kinds that some clients ask for before they begin. */
export const discovery: Readonly<Record<string, object>> = {
  '/version': { major: '1', minor: '37', gitVersion: 'v1.37.2' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups },
  ...Object.fromEntries(groups.map((one) => [`/apis/${one.name}`, { kind: 'APIGroup', apiVersion: 'v1', ...one }])),
  '/api/v1': resources(
    'v1',
    { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { name: 'events', kind: 'Event', namespaced: true },
    { name: 'namespaces', kind: 'Namespace', namespaced: false },
  ),
  '/apis/apiextensions.k8s.io/v1': resources('apiextensions.k8s.io/v1', {
    name: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
  }),
  '/apis/bench.dev/v1': resources('bench.dev/v1', { name: 'echoes', kind: 'Echo', namespaced: true }),
};
