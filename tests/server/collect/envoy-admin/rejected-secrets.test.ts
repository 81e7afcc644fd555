import { expect, it } from 'vitest';
import { inEffect } from '@/lib/facts/effect';
import { readIssueReports } from '@/lib/issues/read-issue-causes';
import type { ResourceState } from '@/lib/observation/resource-state';
import { SDS } from '@/lib/xds/resource-type';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { findEarlier } from '@/server/collect/envoy-admin/apply-statistics';
import { type AnswersRequest, type KeptDocuments, readAnswers } from '@/server/collect/envoy-admin/read';
import { readStatistics } from '@/server/collect/envoy-admin/read-statistics';
import { findRejectedSecrets } from '@/server/collect/envoy-admin/rejected-secrets';
import { RejectionTracker } from '@/server/collect/envoy-admin/rejection-tracker';
import type { KnownClients } from '@/server/collect/poll-diff/known-clients';

const marker = createRedactionMarker(Buffer.from('tests'));

interface Poll {
  readonly rejected: number;
  readonly success: number;
  readonly version: string;
  readonly chain: string;
  /** The second of last_updated. */
  readonly updated: number;
  /** xdscope was started again before. */
  readonly isRestarted?: true;
}

/** What Envoy 1.40.0 answered, poll by poll: the state of the secret, what is in effect, and if its issue ends. */
function follow(...polls: readonly Poll[]): string[] {
  let tracker = new RejectionTracker();
  let known: KnownClients = new Map();
  let documents: KeptDocuments = new Map();
  let rejectedSecrets: AnswersRequest['rejectedSecrets'] = new Map();
  return polls.map(({ rejected, success, version, chain, updated, isRestarted }, index) => {
    if (isRestarted) {
      const rows = [...([...known.values()][0]?.rows.values() ?? [])];
      rejectedSecrets = findRejectedSecrets(rows);
      [tracker, known, documents] = [new RejectionTracker(findEarlier(rows)), new Map(), new Map()];
    }
    const text = `sds.cert.update_rejected: ${rejected}\nsds.cert.update_success: ${success}`;
    tracker.read(readStatistics(text), index * 5_000);
    const dump = {
      configs: [
        {
          '@type': 'type.googleapis.com/envoy.admin.v3.SecretsConfigDump',
          dynamic_active_secrets: [
            {
              ...{ name: 'cert', version_info: version },
              last_updated: new Date(Date.UTC(2026, 10, 30, 5, 8, updated)).toISOString(),
              secret: {
                '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
                name: 'cert',
                tls_certificate: {
                  certificate_chain: { inline_string: chain },
                  private_key: { inline_string: '[redacted]' },
                },
              },
            },
          ],
        },
      ],
    };
    const answers = [{ document: 'config_dump' as const, bytes: Buffer.from(JSON.stringify(dump)) }];
    const statistics = { rejected: tracker.rejected, idleClusters: [], cdsAcceptedAt: null };
    const request = {
      ...{
        answers,
        absent: [],
        isWhole: known.size === 0,
        rejectedSecrets,
        sourceId: 's',
        target: 'envoy',
        at: index * 5_000,
      },
      statistics,
    };
    const { read, ...result } = readAnswers(known, documents, request, marker);
    if (read.kind !== 'news') throw new Error('expected news');
    known = result.next;
    documents = result.documents;
    const row = [...([...known.values()][0]?.rows.values() ?? [])].find(
      ({ typeUrl }) => typeUrl === SDS.typeUrl,
    );
    if (row === undefined) throw new Error('expected the secret, got none');
    return `${row.errorState === null ? 'accepted' : row.clientStatus}, ${inEffect(row).kind}, ${isRepaired(row) ? 'repaired' : 'open'}`;
  });
}

function isRepaired(row: ResourceState): boolean {
  const { repaired } = readIssueReports({
    ...{
      kind: 'client-config-changed',
      side: 'client',
      clientId: 'c',
      sourceId: 's',
      vantage: 'envoy-admin',
    },
    ...{ at: 1, seq: 1, changed: [row], removed: [] },
  } as unknown as Parameters<typeof readIssueReports>[0]);
  return repaired.length > 0;
}

const good = { version: 'one', chain: 'one', updated: 24 };
const bad = { version: 'two', chain: 'two' };

it('a rejected secret stays rejected while Envoy skips it, and counts a success for each time', () => {
  expect(
    follow(
      { ...good, rejected: 0, success: 1 },
      { ...bad, updated: 24, rejected: 1, success: 1 },
      { ...bad, updated: 24, rejected: 1, success: 2 },
      { ...bad, version: 'other', updated: 24, rejected: 1, success: 3 },
      { ...good, updated: 31, rejected: 1, success: 4 },
    ),
  ).toEqual([
    'accepted, payload, repaired',
    'NACKED, unknown, open',
    'NACKED, unknown, open',
    'NACKED, unknown, open',
    'accepted, payload, repaired',
  ]);
});

it('nothing is in effect of one that was rejected from the start; its certificate with another key is accepted', () => {
  expect(
    follow(
      { ...bad, updated: 39, rejected: 1, success: 0 },
      { ...bad, updated: 39, rejected: 1, success: 2 },
      { ...bad, updated: 50, rejected: 1, success: 3 },
    ),
  ).toEqual(['NACKED, none, open', 'NACKED, none, open', 'accepted, payload, repaired']);
});

it('a rejected secret that Envoy has skipped stays rejected after a restart of xdscope, until one is accepted', () => {
  expect(
    follow(
      { ...good, rejected: 0, success: 1 },
      { ...bad, updated: 24, rejected: 1, success: 1 },
      { ...bad, updated: 24, rejected: 1, success: 2 },
      { ...bad, updated: 24, rejected: 1, success: 2, isRestarted: true },
      { ...bad, updated: 24, rejected: 1, success: 3 },
      { ...good, updated: 31, rejected: 1, success: 4, isRestarted: true },
    ),
  ).toEqual([
    'accepted, payload, repaired',
    ...Array.from({ length: 4 }, () => 'NACKED, unknown, open'),
    'accepted, payload, repaired',
  ]);
});
