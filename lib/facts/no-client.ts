import type { Side } from '../observation/observation';
import { reportsResources, type Vantage } from '../observation/vantage';

interface Report {
  readonly vantage: Vantage;
  readonly originalVantage?: Vantage | undefined;
  readonly side: Side;
}

/** Returns, as a sentence without its period, why no client is known to run the resources; empty if one is. */
export function whyNoClient(reports: readonly Report[]): string {
  const ofResources = reports.filter(reportsResources);
  return ofResources.length > 0 && ofResources.every(({ side }) => side === 'control-plane')
    ? 'no client is known to run this config: it is what a control plane, or a file of its resources, states'
    : '';
}
