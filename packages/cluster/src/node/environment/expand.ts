/** The value of a variable; `undefined` when there is none. */
export type Lookup = (name: string) => string | undefined;

/** Replaces `$(NAME)` by the variable's value. `$$` is one `$`; a reference to what is not there stays as it is. */
export function expand(text: string, lookup: Lookup): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (lookup(name) ?? whole),
  );
}
