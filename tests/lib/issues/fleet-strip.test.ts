import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { findIssueAt } from '@/lib/issues/issue-at';
import { IssueIndex } from '@/lib/issues/issue-index';
import { removeExplained } from '@/lib/issues/remove-explained';
import type { Connection } from '@/lib/observation/connection';
import type { Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { buildFleetStrip } from '@/lib/views/issues/build-fleet-strip';
import {
  numbered,
  sampleNode,
  sampleReport,
  sampleResource,
} from '../../support/builders/observation-samples';

const absent = (over: Partial<ResourceState> = {}): ResourceState =>
  sampleResource({ clientStatus: 'DOES_NOT_EXIST', versionInfo: '', hash: null, ...over });

function strip(
  observations: readonly Observation[],
  from: number,
  to: number,
  { observed = 50, isLeftOut = (_: string): boolean => false, isJudged = (_: string): boolean => true } = {},
) {
  const index = new IssueIndex({ idOf: (key) => key });
  for (const observation of numbered(observations)) index.fold(observation);
  const records = [...index.records.values()];
  const open = removeExplained(
    records.flatMap((record) => findIssueAt(record, to) ?? []),
    to,
  ).filter(({ resolvedAt }) => resolvedAt === undefined);
  const named = observations.flatMap((each) => ('clientId' in each ? [each.clientId] : []));
  const silent = [...Array(observed).keys()].map((n) => `silent ${n}`);
  const ids = [...new Set([...named, ...silent])].slice(0, observed);
  const clients = new Map(ids.map((id) => [id, {}]));
  const nodeIdOf = (clientId: string): string => `node ${clientId}`;
  const of = { clients, isJudged, nodeIdOf, isLeftOut };
  return runSteps(buildFleetStrip({ records, open, ofRequests: [], from, to, ...of }));
}

describe('buildFleetStrip', () => {
  const repaired = (clientId: string, from: number, to: number): Observation[] => [
    sampleReport({ clientId, at: from, changed: [absent()] }),
    sampleReport({ clientId, at: to, changed: [sampleResource()] }),
  ];

  it('cuts the times to the range, and lists clients that still have an issue first', () => {
    const found = strip(
      [
        ...repaired('long', 1_000, 8_000),
        sampleReport({ clientId: 'open', at: 7_000, changed: [absent()] }),
        ...repaired('before', 100, 900),
      ],
      2_000,
      9_000,
    );
    expect(found.rows.map(({ nodeId }) => nodeId)).toEqual(['node open', 'node long']);
    expect(found.rows.map(({ spans }) => spans.map(({ from, to, isOpen }) => [from, to, isOpen]))).toEqual([
      [[7_000, 9_000, true]],
      [[2_000, 8_000, false]],
    ]);
    expect(found).toMatchObject({ othersWithIssues: 0, withoutIssues: 48, notJudged: 0 });
  });

  it('counts clients that were not checked apart from those without issues', () => {
    const found = strip(repaired('a', 1_000, 8_000), 0, 9_000, {
      observed: 5,
      isJudged: (clientId) => clientId === 'silent 0',
    });
    expect(found).toMatchObject({ othersWithIssues: 0, withoutIssues: 1, notJudged: 3 });
  });

  it('has no row for a client that is left out, and does not count it as one without issues', () => {
    const found = strip([...repaired('a', 1_000, 8_000), ...repaired('b', 1_000, 8_000)], 0, 9_000, {
      isLeftOut: (clientId) => clientId === 'b',
    });
    expect(found.rows.map(({ clientId }) => clientId)).toEqual(['a']);
    expect(found).toMatchObject({ othersWithIssues: 0, withoutIssues: 48 });
  });

  it('shows an unreachable management server in place of the missing response that it explains', () => {
    const channel: Connection = {
      ...{ id: 'channel 2', kind: 'channel', target: 'xds:1', channels: [], isManagementServer: true },
      ...{ state: 'TRANSIENT_FAILURE', since: 3_000, failingSince: 3_000 },
    };
    const requested = sampleResource({ clientStatus: 'REQUESTED', versionInfo: '', hash: null });
    const found = strip(
      [
        sampleReport({ at: 2_000, changed: [requested] }),
        {
          ...{ kind: 'connections-changed', at: 3_000, vantage: 'channelz', sourceId: 'channelz' },
          ...{ clientId: 'c1', node: sampleNode('web'), scope: '', connections: [channel], endedIds: [] },
        },
      ],
      1_000,
      60_000,
    );
    expect(found.rows.map(({ spans }) => spans.map(({ kind, from }) => [kind, from]))).toEqual([
      [['unreachable', 3_000]],
    ]);
  });

  it('states how each issue ended', () => {
    const broken = (clientId: string) => sampleReport({ clientId, at: 3_000, changed: [absent()] });
    const { sourceId, vantage } = sampleReport({});
    const found = strip(
      [
        ...repaired('repaired', 3_000, 4_000),
        ...['left', 'open'].map(broken),
        {
          ...{ kind: 'client-gone', at: 5_000, vantage, sourceId, clientId: 'left' },
          ...{ side: 'client', reason: 'not listed' },
        },
      ],
      2_000,
      9_000,
    );
    const ends = found.rows.map(({ clientId, spans }) => [clientId, ...spans.map(({ end }) => end)]);
    expect(ends).toEqual([
      ['open', undefined],
      ['left', 'gone'],
      ['repaired', 'repaired'],
    ]);
  });

  it('counts the clients beyond 40 rows', () => {
    const many = [...Array(45).keys()].flatMap((n) => repaired(`c${n}`, 3_000, 4_000 + n));
    const found = strip(many, 2_000, 9_000);
    expect(found.rows).toHaveLength(40);
    expect(found.rows[0]?.clientId).toBe('c44');
    expect(found).toMatchObject({ othersWithIssues: 5, withoutIssues: 5 });
  });
});
