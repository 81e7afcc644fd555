import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { combinedState } from '@/lib/observation/combined-state';
import type { ResourceState } from '@/lib/observation/resource-state';
import { EDS, findResourceType, RDS, SDS } from '@/lib/xds/resource-type';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { type KeptDocuments, readAnswers } from '@/server/collect/envoy-admin/read';
import { readStatistics, readWarmingStates } from '@/server/collect/envoy-admin/read-statistics';
import { RejectionTracker } from '@/server/collect/envoy-admin/rejection-tracker';
import type { StatisticsFindings } from '@/server/collect/envoy-admin/statistics-requests';
import type { KnownClients } from '@/server/collect/poll-diff/known-clients';

const folder = path.join(import.meta.dirname, '../../../fixtures/captures/envoy');
const read = <T>(name: string): T => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as T;
const dumps =
  read<readonly { readonly moment: string; readonly configDump: object; readonly initDump: object }[]>(
    'story-1.40.0-dumps.json',
  );
const statistics =
  read<readonly { readonly moment: string; readonly stats: string; readonly warmingStates: string }[]>(
    'story-1.40.0-stats.json',
  );

const marker = createRedactionMarker(Buffer.from('tests'));

/** The rows at each moment of the story, as polls of the Envoy find them. */
function rowsByMoment(): Map<string, readonly ResourceState[]> {
  const tracker = new RejectionTracker();
  let known: KnownClients = new Map();
  let documents: KeptDocuments = new Map();
  const moments = new Map<string, readonly ResourceState[]>();
  for (const [index, { moment, stats, warmingStates }] of statistics.entries()) {
    const counters = readStatistics(stats);
    tracker.read(counters, index * 4_000);
    const dump = dumps.find((each) => each.moment === moment);
    if (dump === undefined) continue;
    const idle = [...readWarmingStates(warmingStates)].filter(([, state]) => state === 0);
    const findings: StatisticsFindings = {
      rejected: tracker.rejected,
      idleClusters: idle.map(([cluster]) => cluster),
      cdsAcceptedAt: counters.cdsAcceptedAt,
    };
    const documentOf = (document: 'config_dump' | 'init_dump', json: object) => ({
      document,
      bytes: Buffer.from(JSON.stringify(json)),
    });
    const answers = [documentOf('config_dump', dump.configDump), documentOf('init_dump', dump.initDump)];
    const request = { answers, absent: [], isWhole: index === 0, sourceId: 's', target: 'envoy', at: index };
    const result = readAnswers(known, documents, { ...request, statistics: findings }, marker);
    if (result.read.kind !== 'news') throw new Error('expected news');
    known = result.next;
    documents = result.documents;
    moments.set(moment, [...([...known.values()][0]?.rows.values() ?? [])]);
  }
  return moments;
}

const moments = rowsByMoment();

function troubled(moment: string): string[] {
  return (moments.get(moment) ?? [])
    .filter(({ typeUrl }) => findResourceType(typeUrl) !== undefined)
    .flatMap((row) => {
      const state = combinedState(row);
      const service = findResourceType(row.typeUrl)?.service;
      return state === 'ACTIVE' || state === 'DRAINING' ? [] : [`${service} ${row.name} ${state}`];
    })
    .sort();
}

function find(moment: string, service: string, name: string): ResourceState | undefined {
  return moments
    .get(moment)
    ?.find((row) => row.name === name && findResourceType(row.typeUrl)?.service === service);
}

describe('rejections that the config dump of a real Envoy does not report', () => {
  it('a cluster whose rejected version stays among those that warm is NACKED, with version and payload', () => {
    expect(troubled('01-good')).toEqual([]);
    expect(troubled('02-nack-cluster-update')).toEqual(['CDS c1 NACKED']);
    const row = find('02-nack-cluster-update', 'CDS', 'c1');
    expect(row).toMatchObject({
      versionInfo: 'v1',
      errorState: { versionInfo: 'v2', statistic: 'cluster_manager.cds.update_rejected' },
      otherVersions: [{ stage: 'warming', versionInfo: 'v2' }],
    });
    expect(row?.errorState?.failedHash).toBe(row?.otherVersions?.[0]?.hash);
    // Another cluster is added, and Envoy ACKs the rejected payload.
    expect(troubled('04-cluster-still-nacked-one-other-added')).toEqual(['CDS c1 NACKED']);
    expect(troubled('05-cluster-recovered')).toEqual([]);
  });

  it('a rejected listener has the text of the dump, and no row of the type beside it', () => {
    const rows = moments.get('06-nack-listener-update') ?? [];
    const listeners = rows.filter(({ typeUrl }) => findResourceType(typeUrl)?.service === 'LDS');
    expect(listeners.filter(({ errorState }) => errorState?.statistic !== undefined)).toEqual([]);
    expect(find('06-nack-listener-update', 'LDS', 'l1')?.errorState?.details).toContain(
      'non-terminal filter',
    );
  });

  it('rejected routes and secrets are NACKED, and keep what is in effect', () => {
    expect(troubled('09-nack-route')).toEqual(['RDS rt NACKED']);
    expect(find('09-nack-route', 'RDS', 'rt')).toMatchObject({
      hash: find('01-good', 'RDS', 'rt')?.hash,
      errorState: { details: '', statistic: 'http.x.rds.rt.update_rejected' },
    });
    expect(troubled('13-nack-sds')).toEqual(['SDS ca NACKED']);
  });

  it('of clusters in one rejected EDS response it is unknown which endpoints are invalid', () => {
    expect(troubled('11-nack-eds')).toEqual([
      'EDS  NACKED',
      'EDS c1 UNKNOWN',
      'EDS c2 UNKNOWN',
      'EDS c3 UNKNOWN',
    ]);
  });

  it('a cluster that waits for its endpoints warms, and a listener for its routes or its certificate', () => {
    expect(troubled('15-cluster-warming-forever')).toEqual(['CDS cw WARMING']);
    expect(find('15-cluster-warming-forever', 'CDS', 'cw')).toMatchObject({
      lastUpdated: Date.parse('2026-11-22T23:10:39.811Z'),
      waitsFor: [{ typeUrl: EDS.typeUrl, name: 'cw' }],
    });
    expect(find('17-listener-warming-forever', 'LDS', 'lw')?.waitsFor).toEqual([
      { typeUrl: RDS.typeUrl, name: 'rt-missing' },
    ]);
    const last = '19-listener-warming-sds';
    expect(troubled(last)).toEqual([
      'CDS cw WARMING',
      'LDS l1 WARMING',
      'LDS ltls WARMING',
      'LDS lw WARMING',
      'SDS srv-missing WARMING',
    ]);
    expect(find(last, 'LDS', 'l1')?.waitsFor).toEqual([{ typeUrl: RDS.typeUrl, name: 'rt2-missing' }]);
    expect(find(last, 'LDS', 'ltls')?.waitsFor).toEqual([{ typeUrl: SDS.typeUrl, name: 'srv-missing' }]);
  });
});
