import { CustomResourceDefinition, type KubeObject } from '@coxswain/k8s';
import { apply, type Client } from '../client/index.ts';
import { type Clock, sleep, systemClock } from '../core/index.ts';

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
 * @throws ApiError when one is refused, Error when one is not served in time
 */
export async function installCrds(
  client: Client,
  crds: readonly KubeObject[],
  { fieldManager, clock = systemClock, timeout = 30_000 }: InstallCrdsOptions = {},
): Promise<void> {
  const options = { force: true, ...(fieldManager === undefined ? {} : { fieldManager }) };
  for (const crd of crds)
    await client.of(CustomResourceDefinition).patch({ name: crd.metadata.name }, apply(crd), options);
  for (const crd of crds) await untilEstablished(client, crd.metadata.name, clock, timeout);
}
