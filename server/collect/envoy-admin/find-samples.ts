import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import type { ReportedResource } from '../../codec/codec';
import { WireCursor } from '../../codec/wire-cursor';
import { clusterStatistic, type NamesOfClusters } from './apply-statistics';
import { type Sample, statisticName } from './read-statistics';

/** The largest number of samples of each type. A matcher mostly hides all statistics of a type. */
const samplesPerType = 100;

/** Numbers of fields: Bootstrap.stats_config, StatsConfig.stats_matcher. */
const [statsConfig, statsMatcher] = [13, 3];

/** True if an encoded bootstrap limits which statistics Envoy has. */
export function hasStatsMatcher(bootstrap: Uint8Array): boolean {
  const cursor = new WireCursor(bootstrap);
  while (cursor.next()) {
    if (cursor.number !== statsConfig || cursor.wireType !== 2 || cursor.missingBytes > 0) continue;
    const inner = WireCursor.within(cursor);
    while (inner.next()) if (inner.number === statsMatcher) return true;
  }
  return false;
}

/** Subscriptions of resources in effect, by type. */
export function findSamples(rows: readonly ReportedResource[], names: NamesOfClusters): readonly Sample[] {
  const samples = new Map<string, Set<string>>();
  const add = (typeUrl: string, name: string): void => {
    const ofType = samples.get(typeUrl) ?? new Set();
    samples.set(typeUrl, ofType);
    if (ofType.size < samplesPerType) ofType.add(name);
  };
  for (const { typeUrl, name, isStatic, hash, stage } of rows) {
    if (stage !== 'active' || hash === null) continue;
    if (typeUrl === CDS.typeUrl && names.get(name)?.hasEds !== false)
      add(EDS.typeUrl, clusterStatistic(name, names));
    if (isStatic) continue;
    if (typeUrl === CDS.typeUrl || typeUrl === LDS.typeUrl) add(typeUrl, '');
    if (typeUrl === RDS.typeUrl || typeUrl === SDS.typeUrl) add(typeUrl, statisticName(name));
  }
  return [...samples].flatMap(([typeUrl, found]) => [...found].map((name) => ({ typeUrl, name })));
}
