/** The tabs of a client in their order, by their part of the path. */
export const clientViewLabels = {
  graph: 'Graph',
  resolved: 'Effective config',
  failover: 'Failover',
  resources: 'Resources',
  connections: 'Connections',
  load: 'Load',
  propagation: 'Propagation',
  findings: 'Validation',
  history: 'History',
} as const;
export type ClientViewName = keyof typeof clientViewLabels;
