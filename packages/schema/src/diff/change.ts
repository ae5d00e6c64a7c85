/** What has changed, by the kind of promise that is no longer kept. */
export type ChangeRule =
  | 'conversion-missing'
  | 'default-added'
  | 'default-changed'
  | 'default-removed'
  | 'enum-extended'
  | 'enum-narrowed'
  | 'field-removed'
  | 'field-required'
  | 'format-added'
  | 'limit-tightened'
  | 'list-changed'
  | 'name-changed'
  | 'null-refused'
  | 'pattern-changed'
  | 'rule-added'
  | 'scope-changed'
  | 'type-changed'
  | 'unknown-pruned'
  | 'version-removed'
  | 'version-unserved';

/** One change of a CRD that users can feel. */
export interface Change {
  readonly rule: ChangeRule;
  /** `error`: what worked is refused, lost or read otherwise. `warning`: what is left unsaid, or newly said, means more than before. */
  readonly severity: 'error' | 'warning';
  /** The version it is in; absent for what concerns all. */
  readonly version?: string;
  /** The field: `spec.ports[*].name`, with `[*]` for items of lists and values of maps; empty for the whole object. */
  readonly path: string;
  /** What was and what is. */
  readonly message: string;
}
