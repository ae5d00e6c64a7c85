import type { CnStoreService } from '../cnstore/index.ts';
import { TestStores } from '../cnstore/test-nodes.ts';

/** Compute nodes whose HAKeeper knows each as soon as it runs, but for those that never report themselves. */
export class KnownNodes extends TestStores {
  /** Whether nodes that are new report themselves. */
  reporting = true;

  override async serve(...call: Parameters<CnStoreService['serve']>): Promise<void> {
    const [store] = call;
    if (this.reporting && !this.trouble && !this.nodes.has(store.podName)) this.nodes.set(store.podName, 'serving');
    return super.serve(...call);
  }
}
