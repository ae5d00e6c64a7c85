import { CustomResourceDefinition, type KubeObject } from '@coxswain/k8s';
import { apply, type Client } from '@coxswain/runtime/client';
import { sleep, systemClock } from '@coxswain/runtime/core';

const fieldManager = 'cox';

function isEstablished(crd: CustomResourceDefinition): boolean {
  return crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}

async function untilEstablished(client: Client, name: string): Promise<void> {
  const deadline = systemClock.monotonic() + 30_000;
  for (;;) {
    const crd = await client.of(CustomResourceDefinition).get({ name });
    if (isEstablished(crd)) return;
    if (systemClock.monotonic() > deadline)
      throw new Error(`the CRD ${name} is not established after 30s: ${JSON.stringify(crd.status?.conditions ?? [])}`);
    await sleep(systemClock, 50);
  }
}

/** Creates or updates the CRDs and waits until their kinds are served. */
export async function installCrds(client: Client, crds: readonly KubeObject[]): Promise<void> {
  for (const crd of crds) {
    const name = crd.metadata.name;
    await client.of(CustomResourceDefinition).patch({ name }, apply(crd), { fieldManager, force: true });
  }
  for (const crd of crds) await untilEstablished(client, crd.metadata.name);
}
