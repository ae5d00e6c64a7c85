/** Says that of so many not all are in a state: `no proxy is ready`, `fewer than 3 proxies are ready`. */
export function tooFew(
  wanted: number,
  { one, many }: { readonly one: string; readonly many: string },
  state: string,
): string {
  return wanted === 1 ? `no ${one} is ${state}` : `fewer than ${wanted} ${many} are ${state}`;
}

/** `1 pod`, `2 pods`. */
export function podCount(pods: number | undefined): string {
  return `${pods} ${pods === 1 ? 'pod' : 'pods'}`;
}
