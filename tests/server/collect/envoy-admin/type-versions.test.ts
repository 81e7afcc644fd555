import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { foldObservation, type World } from '@/lib/observation/fold';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import { CDS, LDS, RDS } from '@/lib/xds/resource-type';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { readAnswers } from '@/server/collect/envoy-admin/read';
import { corpusDir } from '../../../support/builders/codec-corpus';

const folder = path.join(corpusDir, 'captures', 'istio', 'envoy');
const marker = createRedactionMarker(Buffer.from('tests'));

it.skipIf(!existsSync(folder))(
  'resources of Istio have the version of their type, which changes without a row (skipped without ../shared/corpus)',
  () => {
    const text = gunzipSync(readFileSync(path.join(folder, 'cart-1.config_dump.json.gz'))).toString();
    const world: World = new Map();
    let state = readAll(text, undefined);
    const { next } = state;
    const [first] = state.read.kind === 'news' ? state.read.emissions : [];
    if (first !== undefined) foldObservation(world, { ...first.observation, seq: 1 });
    const versions = (typeUrl: string) => {
      const freshness = { freshness: 'live', reason: '', lastSeenAt: undefined } as const;
      const rows = [...world.values()].flatMap((client) =>
        runSteps(buildResourceRows(client, () => freshness)),
      );
      return new Set(
        rows.flatMap((row) => (row.typeUrl === typeUrl && !row.isStatic ? [row.versionInfo] : [])),
      );
    };
    const push = '2026-11-22T22:56:52Z/1';
    expect([CDS, LDS, RDS].map(({ typeUrl }) => [...versions(typeUrl)])).toEqual([[push], [push], ['']]);

    state = readAll(text.replaceAll(push, 'later/2'), next);
    const [second] = state.read.kind === 'news' ? state.read.emissions : [];
    expect(second?.observation).toMatchObject({
      ...{ changed: [], removed: [] },
      typeVersions: [
        { typeUrl: CDS.typeUrl, versionInfo: 'later/2' },
        { typeUrl: LDS.typeUrl, versionInfo: 'later/2' },
      ],
    });
    if (second !== undefined) foldObservation(world, { ...second.observation, seq: 2 });
    expect([...versions(CDS.typeUrl)]).toEqual(['later/2']);

    // Nothing changed.
    const { read } = readAll(text.replaceAll(push, 'later/2'), state.next);
    expect(read).toMatchObject({ kind: 'news', emissions: [] });
  },
);

function readAll(text: string, known: ReturnType<typeof readAnswers>['next'] = new Map()) {
  const answers = [{ document: 'config_dump', bytes: Buffer.from(text) }] as const;
  const request = { answers, absent: [], isWhole: true, sourceId: 'envoy-admin:x', target: 'x', at: 1 };
  return readAnswers(known, new Map(), request, marker);
}
