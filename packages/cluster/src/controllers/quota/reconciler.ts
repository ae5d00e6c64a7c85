import { ResourceQuota } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler } from '@coxswain/runtime/controller';
import { sameQuantity } from '@coxswain/runtime/core';
import { amountsText, type ReadJson } from '../../usage/index.ts';
import type { KindMonitors } from '../kinds/index.ts';
import { countUsage } from './count-usage.ts';

type Texts = Readonly<Record<string, string>>;

function sameAmounts(a: Texts, b: Texts): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => sameQuantity(a[name], b[name]));
}

/** Brings the status of one quota up to what its namespace holds. */
export class QuotaReconciler implements Reconciler {
  readonly #monitors: KindMonitors;

  constructor(monitors: KindMonitors) {
    this.#monitors = monitors;
  }

  async reconcile({ client, key, clock }: ReconcileContext): Promise<void> {
    const quotas = client.of(ResourceQuota);
    // Asked of the server and written back to this very version: admission may charge the quota at any moment.
    const quota = await quotas.find(key);
    if (!quota || quota.metadata.deletionTimestamp) return;
    const hard = (quota.spec?.hard ?? {}) as Texts;
    const before = (quota.status?.used ?? {}) as Texts;
    const counted = await countUsage(client, this.#monitors, quota as unknown as ReadJson, clock.now());
    const known = { ...before, ...amountsText(counted) };
    const used = Object.fromEntries(Object.entries(known).filter(([name]) => name in hard));
    if (sameAmounts(used, before) && sameAmounts(hard, (quota.status?.hard ?? {}) as Texts)) return;
    await quotas.updateStatus({ ...quota, status: { hard, used } });
  }
}
