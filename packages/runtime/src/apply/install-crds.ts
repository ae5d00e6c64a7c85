import { CustomResourceDefinition, type KubeObject } from '@coxswain/k8s';
import { apply, type Client, ConnectionError } from '../client/index.ts';
import { ApiError, type Clock, isForbidden, sleep, systemClock, TimeoutError } from '../core/index.ts';

/** How `installCrds` writes and how long it waits. */
export interface InstallCrdsOptions {
  /** Who owns the fields of the definitions. Default: the client's. */
  readonly fieldManager?: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Milliseconds until each kind must be served. Default 30 000. */
  readonly timeout?: number;
}

function isEstablished(crd: CustomResourceDefinition): boolean {
  return crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}

async function untilEstablished(client: Client, name: string, clock: Clock, timeout: number): Promise<void> {
  const deadline = clock.monotonic() + timeout;
  for (;;) {
    const crd = await client.of(CustomResourceDefinition).get({ name });
    if (isEstablished(crd)) return;
    if (clock.monotonic() > deadline) {
      const said = crd.status?.conditions?.map(({ type, status, message }) => `${type}=${status}: ${message}`) ?? [];
      throw new Error(
        `the CRD ${name} is not established after ${timeout} ms (${said.join('; ') || 'it has no conditions'}): look at the names it claims and at the API server`,
      );
    }
    await sleep(clock, 50);
  }
}

/**
 * Creates or updates the CRDs (server-side apply, by force: they are the operator's) and waits until their kinds are served.
 * @param crds CustomResourceDefinitions, such as `Operator.crds()` or a resource's `crd()` answers
 * @throws ApiError when one is refused, ConnectionError or TimeoutError when the server is out of reach, Error when one is not served in
 * time; each says which CRD it is and what to do
 */
export async function installCrds(
  client: Client,
  crds: readonly KubeObject[],
  { fieldManager, clock = systemClock, timeout = 30_000 }: InstallCrdsOptions = {},
): Promise<void> {
  const options = { force: true, ...(fieldManager === undefined ? {} : { fieldManager }) };
  const definitions = client.of(CustomResourceDefinition);
  for (const crd of crds) await told(crd, (name) => definitions.patch({ name }, apply(crd), options));
  for (const crd of crds) await told(crd, (name) => untilEstablished(client, name, clock, timeout));
}

/** What goes wrong, with the CRD and what to do about it, and of the same class. */
async function told({ metadata: { name } }: KubeObject, step: (name: string) => Promise<unknown>): Promise<void> {
  try {
    await step(name);
  } catch (error) {
    const message = (text: string, remedy = '') => `the CRD ${name} could not be installed: ${text}${remedy}`;
    if (error instanceof ApiError) {
      const { status } = error;
      throw new ApiError({ ...status, message: message(error.message, isForbidden(error) ? permissions : '') });
    }
    if (error instanceof ConnectionError) throw new ConnectionError(message(error.message, whereabouts));
    if (error instanceof TimeoutError) throw new TimeoutError(message(error.message, whereabouts));
    throw error;
  }
}

const permissions =
  '; give its ClusterRole the verbs get, create and patch on customresourcedefinitions of apiextensions.k8s.io, or install the CRD ' +
  'before (kubectl apply, a chart) and leave installCrds out';
const whereabouts = '; look whether the API server runs and the connection (kubeconfig) names the right one';
