import { type CnStore, workState } from '@coxswain/operator-matrixone/mo';

const accountOf = ({ labels }: CnStore) => labels.get('account')?.labels;

/**
 * The compute nodes that may serve an account, by the real proxy's rules: those that work and are labelled with it; else, for the sys account,
 * those labelled without an account; else those without labels. `dump` and `root` take any that works before they take none.
 */
export function route(stores: readonly CnStore[], account: string, user: string): readonly CnStore[] {
  const working = stores.filter(({ workState: state }) => state === workState.working || state === workState.unknown);
  const own = working.filter((store) => accountOf(store)?.includes(account));
  const others = working.filter((store) => store.labels.size > 0 && accountOf(store) === undefined);
  const plain = working.filter(({ labels }) => labels.size === 0);
  const isSys = account === 'sys';
  const isAdmin = isSys && (user === 'dump' || user === 'root');
  const choices = [own, ...(isSys ? [others] : []), plain, ...(isAdmin ? [working] : [])];
  return choices.find((choice) => choice.length > 0) ?? [];
}
