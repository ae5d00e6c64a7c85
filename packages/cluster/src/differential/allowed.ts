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
    path: /\.(taints|taints\[\d+\])$/,
    reason: 'New nodes are not tainted: the nodes are our own and ready when they come.',
  },
  {
    area: 'server-groups',
    path: /spec\.(uid|username)$|cells\[3\]$/,
    reason: 'Who asks is another administrator.',
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
    area: 'validation',
    scenario: 'workloads',
    steps: [27, 28],
    path: /^body\.(message|details\.causes)/,
    reason: 'The same fault of a Job is told at other fields.',
  },
  {
    area: 'server-groups',
    request:
      /\/(podcertificaterequests\/p|prioritylevelconfigurations\/catch-all|storageversionmigrations\/m(\/status)?)$/,
    path: words,
    reason: 'The rejected value is shown with the names of Go fields.',
  },
];

/** Known gaps, to be closed. */
const gaps: readonly Allowance[] = [
  {
    area: 'decoding',
    scenario: 'patches of custom kinds as text',
    steps: [12],
    path: /^warnings/,
    reason:
      'Gap: what a patch into a version that is not served makes of an object is judged by a schema that is not there.',
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
    area: 'server-groups',
    path: /f:taint\.f:timeAdded$/,
    reason: 'Gap: the time of a taint that the server fills in belongs to nobody.',
  },
];

/** Every accepted difference to the real server, with its reason. */
export const allowances: readonly Allowance[] = [...byDesign, ...otherWords, ...gaps];
