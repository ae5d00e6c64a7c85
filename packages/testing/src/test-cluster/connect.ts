import { httpTransport, loadKubeconfig, type Transport } from '@coxswain/runtime/client';

/** A connection by a kubeconfig (YAML), on behalf of a user when one is named. */
export async function connect(kubeconfig: string, user: string | undefined): Promise<Transport> {
  const connection = await loadKubeconfig({ text: kubeconfig });
  return httpTransport(user === undefined ? connection : { ...connection, impersonation: { user } });
}
