import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { type Call, warn } from './context.ts';

/** One write on its way through the admission chain. */
export interface Admission {
  readonly operation: AdmissionAttributes['operation'];
  readonly name: string;
  readonly object?: MutableJson;
  readonly old?: DynamicObject;
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
}

/**
 * Runs one phase of the chain. Answers a promise only when a plug-in did, so that a write without remote
 * plug-ins stays in one synchronous section.
 */
export function admission(call: Call, phase: 'admit' | 'validate', write: Admission): void | Promise<void> {
  const plugins = call.server.admission.filter((plugin) => plugin[phase]);
  if (plugins.length === 0 || call.admitted) return;
  let again = false;
  const attributes: AdmissionAttributes = {
    ...write,
    resource: call.resource,
    subresource: call.subresource,
    namespace: call.namespace,
    user: call.request.user,
    storage: call.server.storage,
    warn: (text) => warn(call, text),
    annotate(key, text) {
      const { user, method, path } = call.request;
      call.server.log.debug({ user: user.name, method, path, annotation: key, value: text }, 'audit annotation');
    },
    readmit() {
      again = true;
    },
  };
  const pass = () => run(plugins, phase, attributes);
  const first = pass();
  if (phase === 'validate') return first;
  if (first) return first.then(() => (again ? pass() : undefined));
  if (again) return pass();
}

function run(
  plugins: readonly AdmissionPlugin[],
  phase: 'admit' | 'validate',
  attributes: AdmissionAttributes,
): void | Promise<void> {
  for (let i = 0; i < plugins.length; i++) {
    const pending = plugins[i]?.[phase]?.(attributes);
    if (pending) return rest(plugins.slice(i + 1), pending);
  }

  async function rest(remaining: readonly AdmissionPlugin[], first: Promise<void>): Promise<void> {
    await first;
    for (const plugin of remaining) await plugin[phase]?.(attributes);
  }
}
