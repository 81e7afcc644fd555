/** Fields of an element, as in ["name"] or ["locality", "priority"], each a path of names in JSON. */
export type ItemKey = readonly string[];

/** How the elements of one repeated field are distinguished, and what their places mean. */
export interface ListRule {
  /**
   * "none": it is a set. "within-key": only among elements of one key, as header lines of one name. "all": elements are
   * tried, run or preferred one after the other.
   */
  readonly order: 'none' | 'within-key' | 'all';
  /** What an element is known by, the best first: those left over are tried by the next. */
  readonly keys: readonly ItemKey[];
  /** Not a name, but what makes two elements the same one when they have no name. */
  readonly like?: readonly ItemKey[];
  /** An element without the fields of a key has that key too: no locality is a locality. */
  readonly isKeyWhenEmpty?: true;
  /** Why order means that. */
  readonly reason: string;
}

/** By message and field, as in "envoy.config.route.v3.VirtualHost.routes". */
export type ListRules = Readonly<Record<string, ListRule>>;

/** A field that no table names: nothing is known of it, so that its order may mean something. */
export const unlistedRule: ListRule = {
  order: 'all',
  keys: [],
  reason: 'nothing is known of this field: its order is taken to matter',
};
