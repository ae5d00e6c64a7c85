import type { Allowance } from './compare.ts';

const anywhere = /^/;
const words = /^body\.(message|details\.causes\[\d+\]\.message)$/;
const refusal = /^(status|body\b)/;

/** Not part of the first slice, or made otherwise on purpose. */
const byDesign: readonly Allowance[] = [
  {
    path: /^body(\.events\[\d+\]\.object)?\.columnDefinitions\[\d+\]\.description$/,
    reason: 'Descriptions of columns are documentation; ours are our own words or none.',
  },
  {
    path: /^body\.items\[\d+\]\.(apiVersion|kind)$/,
    wire: false,
    reason: 'In-process lists hold the stored objects themselves, which say what they are. On the wire they do not.',
  },
  {
    path: /^body\.items\[\d+\]\.(apiVersion|kind)$/,
    request: /\/configmaps$/,
    area: 'errors',
    steps: [21],
    reason: 'YAML is written from the stored objects, which say what they are.',
  },
  {
    area: 'discovery',
    request: /^GET \/api$/,
    path: /serverAddress$/,
    reason: 'The address of the server, which is another one.',
  },
  {
    area: 'errors',
    scenario: 'paths and methods',
    request: /\/version\//,
    path: /^body\.(gitCommit|gitTreeState|goVersion|compiler)$/,
    reason: 'Another program, built in another way.',
  },
  {
    area: 'reads',
    scenario: 'pages',
    steps: [16],
    path: /^body\.items/,
    reason: 'A token made by hand: what is in a token is the business of the server that gave it.',
  },
  {
    path: /\.(taints|taints\[\d+\])$/,
    reason: 'New nodes are not tainted: the nodes are our own and ready when they come.',
  },
  {
    area: 'server-groups',
    path: /spec\.(uid|username)$|cells\[3\]$/,
    reason: 'Who asks is another administrator.',
  },
  {
    path: /\.(taints|taints\[\d+\])$/,
    reason: 'New nodes are not tainted: the nodes are our own and ready when they come.',
  },
  {
    area: 'server-groups',
    scenario: 'IPAddress: its life',
    path: /^body\.rows\[0\]\.cells\[2\]$/,
    reason: 'The real row has a cell more than there are columns.',
  },
];

/** The same refusal, with other words. */
const otherWords: readonly Allowance[] = [
  {
    area: 'errors',
    scenario: 'creation',
    steps: [9],
    path: words,
    reason: 'Lengths are told in bytes.',
  },
  {
    area: 'errors',
    scenario: 'bodies of the wrong form',
    steps: [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 20],
    path: /^body\.(message|details)$/,
    reason: 'The words are those of the Go decoder, with its type names and its file names.',
  },
  {
    area: 'errors',
    scenario: 'updates',
    steps: [4],
    path: words,
    reason: 'The real text shows the key in etcd.',
  },
  { area: 'errors', scenario: 'deletes', steps: [7, 12], path: words, reason: 'The words of the Go decoder.' },
  {
    area: 'errors',
    scenario: 'patches that do not fit',
    path: words,
    reason: 'The real text quotes the patched document as Go writes it, and the words of its decoder.',
  },
  {
    area: 'errors',
    scenario: 'fieldValidation',
    path: /^(body\.(message|details\.causes\[\d+\]\.message)|warnings\[\d+\])$/,
    reason:
      'Unknown fields are told from the outside to the inside, not in the order of the text; patched documents are quoted as above.',
  },
  {
    area: 'reads',
    scenario: 'pages',
    steps: [15],
    path: words,
    reason: 'The words of the Go decoder about a broken token.',
  },
  {
    area: 'writes',
    request: /\/(pods\/p|persistentvolumeclaims\/c|jobs\/j)$/,
    path: /^body\.(message|details\.causes\[\d+\]\.(message|field))$/,
    reason: 'The real text adds a comparison of Go values.',
  },
  {
    area: 'writes',
    scenario: 'deletecollection',
    steps: [10],
    path: words,
    reason: 'A selector that ends too early, in other words.',
  },
  { area: 'writes', scenario: 'scale', steps: [10], path: words, reason: 'The words of the Go decoder.' },
  {
    area: 'patches',
    scenario: 'JSON patch',
    steps: [14],
    path: words,
    reason: 'The patched document is quoted as Go writes it.',
  },
  {
    area: 'patches',
    scenario: 'YAML in apply',
    steps: [2],
    path: /^warnings/,
    reason: 'A key that came twice, in the words of a YAML reader.',
  },
  {
    area: 'validation',
    scenario: 'workloads',
    steps: [27, 28],
    path: /^body\.(message|details\.causes)/,
    reason: 'The same fault of a Job is told at other fields.',
  },
  {
    area: 'server-groups',
    request: /\/(podcertificaterequests\/p|prioritylevelconfigurations\/catch-all|storageversionmigrations\/m(\/status)?)$/,
    path: words,
    reason: 'The rejected value is shown with the names of Go fields.',
  },
];

/** Known gaps, to be closed. */
const gaps: readonly Allowance[] = [
  {
    area: 'errors',
    scenario: 'creation',
    steps: [17, 18, 20],
    path: refusal,
    reason: 'Gap: base64 of ConfigMaps is not checked (the later steps only count on).',
  },
  {
    area: 'errors',
    scenario: 'bodies of the wrong form',
    steps: [15],
    path: refusal,
    reason: 'Gap: `null` is an empty object to the real server.',
  },
  {
    area: 'errors',
    scenario: 'patches that do not fit',
    steps: [28],
    path: refusal,
    reason: 'Gap: the options of an apply are checked before its body is read.',
  },
  {
    area: 'writes',
    scenario: 'labels at the status of a deployment',
    path: /^body\.metadata\./,
    reason: 'Gap: the status of a Deployment does not take labels.',
  },
  {
    area: 'writes',
    scenario: 'scale',
    steps: [9],
    path: refusal,
    reason: 'Gap: a Scale that cannot be read after a patch is 422.',
  },
  {
    area: 'writes',
    scenario: 'scale',
    steps: [12],
    path: /managedFields/,
    reason: 'Gap: scaling to zero leaves the count without an owner.',
  },
  {
    area: 'patches',
    scenario: 'apply',
    steps: [11],
    path: /^body\.metadata\./,
    reason: 'Gap: null in applied maps of text is an empty text.',
  },
  {
    area: 'patches',
    scenario: 'apply of a deployment',
    steps: [10],
    path: refusal,
    reason: 'Gap: apply to the scale subresource.',
  },
  {
    area: 'validation',
    scenario: 'pods',
    steps: [16, 26, 37],
    path: refusal,
    reason: 'Gap: overhead without a runtime class, paths of field references, privileged without escalation.',
  },
  {
    area: 'validation',
    scenario: 'services',
    steps: [15, 16],
    path: refusal,
    reason: 'Gap: a second address family is refused by a server that has one.',
  },
  {
    area: 'validation',
    scenario: 'the rest',
    steps: [14, 15, 18, 34, 35, 38, 39],
    path: refusal,
    reason: 'Gap: rules of EndpointSlices, Leases, new Events, taints, quotas and limit ranges.',
  },
  {
    area: 'validation',
    scenario: 'the rest',
    steps: [19],
    path: /^body\.spec/,
    reason: 'Gap: the strategy of a Lease is behind a feature gate.',
  },
  {
    area: 'validation',
    path: /^body\.metadata\.(uid|resourceVersion)$/,
    reason: 'Counts on after bodies that only one of the two accepted.',
  },
  { area: 'tables', steps: [26, 50], path: /managedFields$/, reason: 'Gap: an empty list of rules has no owner.' },
  {
    area: 'tables',
    steps: [43],
    path: /annotations$/,
    reason: 'Gap: the template generation of a DaemonSet shows in its row.',
  },
  {
    area: 'tables',
    steps: [56, 64, 61],
    path: anywhere,
    reason: 'Gap: the default cluster roles, the old version of tables and odd values of includeObject.',
  },
  {
    area: 'tables',
    steps: [57],
    path: anywhere,
    reason: 'Gap: the priority of a column of priority classes; theirs have an owner.',
  },
  {
    area: 'core',
    scenario: 'LimitRange (v1)',
    path: /^body\.spec\.limits$/,
    reason: 'Gap: an empty list is stored as null.',
  },
  { area: 'core', scenario: 'Node (v1)', path: /podCIDRs$/, reason: 'Gap: podCIDRs follow podCIDR.' },
  {
    area: 'other-groups',
    scenario: 'Role (rbac.authorization.k8s.io/v1)',
    path: /f:rules$/,
    reason: 'Gap: an empty list of rules has no owner.',
  },
  {
    area: 'other-groups',
    scenario: 'ClusterRole (rbac.authorization.k8s.io/v1)',
    path: /managedFields$/,
    reason: 'Gap: an empty list of rules has no owner.',
  },
  {
    area: 'other-groups',
    scenario: 'EndpointSlice (discovery.k8s.io/v1)',
    path: /(f:endpoints|generation)$/,
    reason: 'Gap: an empty list has no owner; a new label counts as a generation.',
  },
  {
    area: 'other-groups',
    scenario: 'CSINode (storage.k8s.io/v1)',
    path: /drivers$/,
    reason: 'Gap: an empty list is stored as null.',
  },
  {
    area: 'other-groups',
    scenario: 'HorizontalPodAutoscaler (autoscaling/v2)',
    path: /behavior/,
    reason: 'Gap: defaults of the behaviour.',
  },
  {
    area: 'server-groups',
    path: /f:taint\.f:timeAdded$/,
    reason: 'Gap: the time of a taint that the server fills in belongs to nobody.',
  },
];

/** Every accepted difference to the real server, with its reason. */
export const allowances: readonly Allowance[] = [...byDesign, ...otherWords, ...gaps];
