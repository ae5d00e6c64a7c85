import type { Case, Step } from './cases.ts';
import { configure, namespaces, pod, scene } from './steps.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const targets = ['pods/exec', 'pods/attach', 'pods/portforward', 'pods/proxy', 'services/proxy', 'pods/log', 'pods'];
const rules = [{ operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources: targets }];

type Query = Readonly<Record<string, string>>;

/** A connection that is tried. */
const open = (title: string, rest: string, query: Query = {}, method: Step['method'] = 'GET'): Step => ({
  method,
  path: `${namespaces}/${title}/${rest}`,
  query,
});

function setting(title: string): readonly Step[] {
  const service = { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
  return [
    ...scene(title),
    configure(`${namespaces}/${title}/pods`, pod('p', [{}])),
    configure(`${namespaces}/${title}/services`, service),
  ];
}

/** Every way out, once. */
const ways = (title: string): readonly Step[] => [
  open(title, 'pods/p/exec', { container: 'c0', command: 'ls', stdin: 'true', stdout: '0' }),
  open(title, 'pods/p/exec', { command: 'ls' }, 'POST'),
  open(title, 'pods/missing/exec'),
  open(title, 'pods/p/attach', { stdout: '1' }),
  open(title, 'pods/p/portforward', { ports: '80,81' }),
  open(title, 'pods/p/portforward', { ports: 'many' }),
  open(title, 'pods/http:p:80/proxy/a/b/', { x: 'y' }),
  open(title, 'services/s:80/proxy', {}, 'PUT'),
  open(title, 'pods/p/log', { tailLines: '3' }),
  open(title, 'pods/p/exec', { dryRun: 'All' }),
];

const hook = (title: string, path: string, more: object = {}): object => ({
  name: `${path}.${title}.example.com`,
  clientConfig: { url: `HOOKS/${path}`, caBundle: 'CA_BUNDLE' },
  rules,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': title } },
  ...more,
});

const hooks = (flavour: 'mutating' | 'validating', title: string, webhooks: readonly object[]): Step =>
  configure(`${group}/${flavour}webhookconfigurations`, { metadata: { name: title }, webhooks });

function asked(title: string): Case {
  const steps = [hooks('mutating', title, [hook(title, 'allow')]), hooks('validating', title, [hook(title, 'allow')])];
  return { title, steps: [...setting(title), ...steps, ...ways(title)] };
}

function refused(title: string): Case {
  const inShell = { name: 'shell', expression: "object.kind == 'PodExecOptions' && 'sh' in object.command" };
  const webhooks = [
    hook(title, 'deny-message', { matchConditions: [inShell] }),
    hook(title, 'deny', { objectSelector: { matchLabels: { a: 'b' } } }),
  ];
  const steps = [
    hooks('validating', title, webhooks),
    open(title, 'pods/p/exec', { command: 'sh' }),
    open(title, 'pods/p/exec', { command: 'ls' }),
    open(title, 'pods/p/attach'),
  ];
  return { title, steps: [...setting(title), ...steps] };
}

function judged(title: string): Case {
  const only = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': title } } };
  const shown =
    "'no ' + object.kind + ' ' + object.apiVersion + ' for ' + request.name + ': ' + request.operation + ' ' + " +
    "request.subResource + ' ' + string(has(request.options)) + ' ' + string(request.dryRun)";
  const validations = [
    { expression: "request.subResource != 'exec' || !('sh' in object.command)", messageExpression: shown },
    { expression: "request.subResource != 'proxy' || object.path != '/secret'", message: 'a secret path' },
    { expression: "request.subResource != 'portforward' || object.ports.all(p, p > 80)", reason: 'Forbidden' },
  ];
  return {
    title,
    steps: [
      ...setting(title),
      configure(`${group}/validatingadmissionpolicies`, {
        metadata: { name: title },
        spec: { matchConstraints: { resourceRules: rules }, validations },
      }),
      configure(`${group}/validatingadmissionpolicybindings`, {
        metadata: { name: title },
        spec: { policyName: title, validationActions: ['Deny'], matchResources: only },
      }),
      open(title, 'pods/p/exec', { command: 'sh' }),
      open(title, 'pods/p/exec', { command: 'ls' }),
      open(title, 'pods/p/proxy/secret'),
      open(title, 'services/s/proxy/secret'),
      open(title, 'services/s/proxy/open'),
      open(title, 'pods/p/portforward', { ports: '80' }),
      open(title, 'pods/p/portforward', { ports: '81' }),
      open(title, 'pods/p/attach'),
    ],
  };
}

/** What leads out of the server is admitted as `CONNECT`. */
export const connectCases: readonly Case[] = [
  asked('connect-asked'),
  refused('connect-refused'),
  judged('connect-judged'),
];
