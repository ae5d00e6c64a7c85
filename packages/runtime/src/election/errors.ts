/** A write was refused, or aborted, because this process does not (or no longer) hold the lease. */
export class NotLeading extends Error {
  constructor(lease: string) {
    super(`not the leader by lease ${lease}: the write was not sent; only the replica that holds the lease may write`);
    this.name = 'NotLeading';
  }
}
