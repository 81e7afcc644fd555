import type { Doubt } from '../observation/effect-stage';
import type { Side } from '../observation/observation';
import { reportsResources, type Vantage } from '../observation/vantage';

interface Report {
  readonly vantage: Vantage;
  readonly originalVantage?: Vantage | undefined;
  readonly side: Side;
}

interface Subject {
  readonly client: { readonly reports: readonly Report[] };
  readonly rows: readonly { readonly doubt?: Doubt | undefined }[];
}

/** Returns, as a sentence without its period, why no client is known to run the resources; empty if one is. */
export function whyNoClient({ client, rows }: Subject): string {
  const ofResources = client.reports.filter(reportsResources);
  if (ofResources.length > 0 && ofResources.every(({ side }) => side === 'control-plane'))
    return 'no client is known to run this config: it is what a control plane, or a file of its resources, states';
  return rows.length > 0 && rows.every(({ doubt }) => doubt === 'configured')
    ? 'no client is known to run this config: it is a bootstrap file, and no report of an Envoy'
    : '';
}
