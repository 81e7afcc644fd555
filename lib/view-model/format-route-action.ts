import type { RouteAction } from '../model/route';

/** What a route does, in words; empty where it forwards to clusters that the configuration names. */
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
