import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { EDS } from '@/lib/xds/resource-type';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { readAnswers } from '@/server/collect/envoy-admin/read';
import { corpusDir } from '../../../support/builders/codec-corpus';

const file = path.join(corpusDir, 'captures', 'istio', 'envoy', 'cart-1.config_dump.json.gz');

it.skipIf(!existsSync(file))(
  'endpoints of a dynamic cluster without EDS are in no response (skipped without ../shared/corpus)',
  () => {
    const answers = [{ document: 'config_dump', bytes: gunzipSync(readFileSync(file)) }] as const;
    const request = { answers, absent: [], isWhole: true, sourceId: 'envoy-admin:x', target: 'x', at: 1 };
    const { read } = readAnswers(new Map(), new Map(), request, createRedactionMarker(Buffer.from('tests')));
    const observations = read.kind === 'news' ? read.emissions.map(({ observation }) => observation) : [];
    const rows = observations.flatMap((each) => (each.kind === 'client-config-changed' ? each.changed : []));
    const endpoints = rows.filter(({ typeUrl }) => typeUrl === EDS.typeUrl);
    const namesOf = (isStatic: boolean) =>
      endpoints.filter((row) => row.isStatic === isStatic).map(({ name }) => name);
    expect(
      namesOf(true)
        .filter((name) => !/^(agent|prometheus_stats|sds-grpc|xds-grpc)$/.test(name))
        .sort(),
    ).toEqual([
      'BlackHoleCluster',
      'InboundPassthroughCluster',
      'PassthroughCluster',
      'inbound|8080||',
      'outbound|443||*.wild.example.com',
      'outbound|443||api.example.com',
      'outbound|80||*.dyn.example.com',
      'outbound|80||api.example.com',
    ]);
    expect(namesOf(false)).toHaveLength(10);
  },
);
