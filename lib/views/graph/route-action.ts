import type { RouteAction } from '../../model/route';

/** Describes the action of a route; empty if it forwards to clusters of the configuration. */
export function formatRouteAction(action: RouteAction): string {
  switch (action.kind) {
    case 'cluster':
    case 'weighted':
      return '';
    case 'cluster-header':
      return `cluster named by header ${action.header}`;
    case 'plugin':
      return `cluster chosen by plugin ${action.plugin}`;
    case 'direct-response':
      return `responds ${action.status}`;
    case 'non-forwarding':
      return 'served here';
    case 'redirect':
    case 'other':
      return action.text;
  }
}
