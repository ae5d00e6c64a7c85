/** The cluster does not know a compute node (yet): it has not reported itself, or was removed. */
export class UnregisteredNodeError extends Error {
  constructor(podName: string, options?: ErrorOptions) {
    super(`compute node ${podName} has not reported itself to HAKeeper`, options);
    this.name = 'UnregisteredNodeError';
  }
}
