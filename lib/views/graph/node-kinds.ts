/** Apart from the schema of the graph, because the graph's worker needs the kinds and no schema. */
export const graphNodeKinds = [
  'listener',
  'route-config',
  'virtual-host',
  'route',
  'cluster',
  'priority',
  'locality',
  'endpoint',
  /**
   * An EDS resource without endpoints: not received, not existing or empty. Otherwise its priorities are drawn instead.
   */
  'endpoints',
  'secret',
  'aggregate',
] as const;

export type GraphNodeKind = (typeof graphNodeKinds)[number];
