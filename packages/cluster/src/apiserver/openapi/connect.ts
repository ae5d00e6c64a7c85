import { type Parameter, query } from './parameters.ts';

/** Subresources that are a connection to something: what each may be told, by the kind of its options. */
const options: Readonly<Record<string, readonly Parameter[]>> = {
  NodeProxyOptions: query('path'),
  PodAttachOptions: query('container', 'stderr', 'stdin', 'stdout', 'tty'),
  PodExecOptions: query('command', 'container', 'stderr', 'stdin', 'stdout', 'tty'),
  PodPortForwardOptions: query('ports'),
  PodProxyOptions: query('path'),
  ServiceProxyOptions: query('path'),
};

/** The parameters of a connection; `undefined` for kinds that are no options of one. */
export const connectParameters = (kind: string): readonly Parameter[] | undefined => options[kind];

/** What may be asked of a pod's log. */
export const logParameters: readonly Parameter[] = query(
  'container',
  'follow',
  'insecureSkipTLSVerifyBackend',
  'limitBytes',
  'previous',
  'sinceSeconds',
  'stream',
  'tailLines',
  'timestamps',
);
