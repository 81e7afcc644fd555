/** Fields of an element, each a path of JSON names, as in ["name"] or ["locality", "priority"]. */
export type ItemKey = readonly string[];

/** Defines how the elements of a repeated field are matched, and whether their order matters. */
export interface ListRule {
  /**
   * "none": the field is a set. "within-key": the order matters among elements of one key, as header lines of one name.
   * "all": elements are tried, run or preferred one after the other.
   */
  readonly order: 'none' | 'within-key' | 'all';
  /** The keys of an element, the best first. Elements that one key does not match are matched by the next. */
  readonly keys: readonly ItemKey[];
  /** Fields that match elements without a key. */
  readonly like?: readonly ItemKey[];
  /** True if absent fields are a valid key: no locality is a locality. */
  readonly isKeyWhenEmpty?: true;
  /** The reason why the order matters, or does not. */
  readonly reason: string;
}

/** Rules by message and field, as in "envoy.config.route.v3.VirtualHost.routes". */
export type ListRules = Readonly<Record<string, ListRule>>;

export function unordered(reason: string, ...keys: ItemKey[]): ListRule {
  return { order: 'none', keys, reason };
}

/** The rule of a list whose order matters. */
export function ordered(reason: string, ...keys: ItemKey[]): ListRule {
  return { order: 'all', keys, reason };
}

/** The rule of a list whose order matters among elements of one key. */
export function orderedByKey(reason: string, ...keys: ItemKey[]): ListRule {
  return { order: 'within-key', keys, reason };
}

/** The rule of fields without a rule: their order is considered to matter. */
export const unlistedRule = ordered('the field has no rule: its order is assumed to matter');
