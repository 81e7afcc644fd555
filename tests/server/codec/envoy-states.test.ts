import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { combinedState } from '@/lib/observation/combined-state';
import { CDS, LDS } from '@/lib/xds/resource-type';
import type { State } from '@/lib/xds/status';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { corpusDir } from '../../support/builders/codec-corpus';

const folder = path.join(corpusDir, 'captures', 'envoy', 'story-1.40.0-admin');
const marker = createRedactionMarker(Buffer.from('tests'));

/** "name STATE" of the dynamic clusters or listeners, by name. */
function statesIn(moment: string, typeUrl: string): string[] {
  const captured: { config_dump: object } = JSON.parse(
    readFileSync(path.join(folder, `${moment}.json`), 'utf8'),
  );
  const plan = planReport(Buffer.from(JSON.stringify(captured.config_dump)));
  const rows = plan.reports.flatMap((report) =>
    [...readReport(report, marker)].flatMap((batch) => batch.rows),
  );
  // A version that warms precedes the row that it is joined to.
  const states = new Map<string, State>();
  for (const row of rows) {
    const isDynamic = row.typeUrl === typeUrl && !row.isStatic;
    if (isDynamic) states.set(row.name, combinedState({ ...row, changedAt: 0 }));
  }
  return [...states].map(([name, state]) => `${name} ${state}`).sort();
}

it.skipIf(!existsSync(folder)).each([
  ['01-good', CDS, ['c1 ACTIVE', 'c2 ACTIVE']],
  // The rejected version stays among the warming clusters.
  ['02-nack-cluster-update', CDS, ['c1 WARMING', 'c2 ACTIVE']],
  // Envoy adds an entry without a name for each error.
  ['06-nack-listener-update', LDS, ['l1 NACKED', 'l2 ACTIVE']],
  ['07-nack-listener-new', LDS, ['l1 NACKED', 'l2 ACTIVE', 'lbad NACKED']],
  ['15-cluster-warming-forever', CDS, ['c1 ACTIVE', 'c2 ACTIVE', 'c3 ACTIVE', 'cw WARMING']],
  ['18-listener-active-and-warming', LDS, ['l1 WARMING', 'l2 ACTIVE', 'lw WARMING']],
  ['23-all-good-again', LDS, ['l1 ACTIVE', 'l15 ACTIVE', 'l2 DRAINING', 'ltls ACTIVE', 'lw ACTIVE']],
])(
  'an Envoy 1.40.0 at %s has these states of %o (skipped without ../shared/corpus)',
  (moment, type, expected) => {
    expect(statesIn(moment, type.typeUrl)).toEqual(expected);
  },
);
