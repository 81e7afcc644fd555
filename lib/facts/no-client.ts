import type { Stage } from '../observation/effect-stage';
import type { Side } from '../observation/observation';
import { reportsResources, type Vantage } from '../observation/vantage';
import type { EpochMs } from '../xds/units';

interface Reported {
  readonly reports: readonly {
    readonly vantage: Vantage;
    readonly originalVantage?: Vantage | undefined;
    readonly side: Side;
  }[];
  readonly rows: Iterable<{
    readonly stage?: Stage | undefined;
    readonly isStatic: boolean;
    readonly lastUpdated: EpochMs | null;
  }>;
}

/**
 * Returns, as a sentence without its period, why no client is known to run the resources; empty if one is. The config dumps of istiod
 * (/debug/config_dump) and Envoy Gateway (egctl) have the form of an Envoy's, and list what would be active. An Envoy states of each
 * dynamic resource when it was updated (envoy.admin.v3.ClustersConfigDump.DynamicCluster.last_updated).
 */
export function whyNoClient({ reports, rows }: Reported): string {
  const ofResources = reports.filter(reportsResources);
  if (ofResources.length === 0) return '';
  if (ofResources.every(({ side }) => side === 'control-plane'))
    return `${noClient}: it is what a control plane, or a file of its resources, states`;
  const isOfDocuments = ofResources.every(
    ({ vantage, originalVantage }) => vantage === 'dump' && originalVantage === undefined,
  );
  if (!isOfDocuments) return '';
  let dynamic = 0;
  for (const { stage, isStatic, lastUpdated } of rows) {
    if (stage === undefined || isStatic) continue;
    if (lastUpdated !== null) return '';
    dynamic += 1;
  }
  return dynamic === 0
    ? ''
    : `${noClient}: the config dump lacks last_updated, which an Envoy writes, and a control plane does not`;
}

const noClient = 'no client is known to run this config';
