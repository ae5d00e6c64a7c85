/**
 * On the list of a built-in kind: the kind of its items. Their own `apiVersion` and `kind` stay off the wire, as with the real
 * server; items of custom kinds keep theirs. In-process lists are the stored objects themselves.
 */
export const itemKind: unique symbol = Symbol('kind of the items');
