import { describe, expect, it } from 'vitest';
import type { ResourceRow } from '@/lib/api/schema';
import { CDS } from '@/lib/xds/resource-type';
import { GraphModelBuilder } from '@/server/answers/graph/graph-model-builder';
import { GraphRows } from '@/server/answers/graph/graph-rows';
import type { RunGraphJob } from '@/server/answers/graph/run-graph-job';
import { HistoryRows } from '@/server/answers/history/history-rows';

const count = 1_000;

/** The builder, and every version under which it was reported something. */
function startBuilder() {
  const builder = new GraphModelBuilder({ listsKept: 4, bodiesPerTurn: 1 });
  const versions = new Map<string, number>();
  const run: RunGraphJob = async (kind, input) => {
    if (kind === 'rows' || kind === 'history')
      versions.set(input.list, (input as { version: number }).version);
    return builder.runners[kind](input);
  };
  return { builder, versions, run };
}

function rowOf(name: string): ResourceRow {
  return {
    ...{ typeUrl: CDS.typeUrl, service: 'CDS', name, versionInfo: '1', lastUpdated: null, errorState: null },
    ...{ clientStatus: 'ACKED', configStatus: 'UNKNOWN', hash: `hash of ${name}`, sizeBytes: 10 },
    ...{ isStatic: false, changedAt: '2026-01-01T00:00:00.000Z', sourceId: 's', side: 'client' },
    controlPlane: null,
  };
}

describe('what is given up half-way leaves the graph builder', () => {
  it('the histories of clients whose reader has left', async () => {
    const { builder, versions, run } = startBuilder();
    let left = new AbortController();
    const recorder = {
      readBodies: async () => new Map(),
      readHistoryBase: async () => undefined,
      readObservationTexts: async ({ afterSeq = 0 }) => {
        if (afterSeq > 0) left.abort();
        const observation = { kind: 'client-gone', at: 1, sourceId: 's', vantage: 'csds', clientId: 'c' };
        return [{ seq: afterSeq + 1, at: 1, json: JSON.stringify(observation) }];
      },
    };
    const histories = new HistoryRows({ run, recorder: recorder as never });
    const past = { clientId: 'c', until: 1_000 };
    for (let client = 0; client < count; client++) {
      left = new AbortController();
      const asked = histories.ask({ list: `client ${client}`, ...past, signal: left.signal }, () => {
        throw new Error('asked though nobody is left');
      });
      await expect(asked).rejects.toThrow('was lost while it was reported');
    }
    expect(versions.size).toBe(count);
    for (const [list, version] of versions) {
      const next = { list, version, ...past, part: 1, observations: [], isLast: false };
      expect(builder.runners.history(next)).toBe('unknown');
    }
  });

  it('the missing bodies of clients whose bodies cannot be read', async () => {
    const { builder, versions, run } = startBuilder();
    const recorder = {
      readBodies: async () => {
        throw new Error('the file is damaged');
      },
    };
    const rows = new GraphRows({ run, recorder, listsKept: 4 });
    for (let client = 0; client < count; client++) {
      const list = `client ${client}`;
      const held = Array.from({ length: 5 }, (_, index) => rowOf(`c${index}`));
      const asked = rows.ask(list, held, (ask, version) => ask('graph', { list, version, query: {} }));
      await expect(asked).rejects.toThrow('the file is damaged');
      const version = versions.get(list) ?? 0;
      expect(builder.runners.bodies({ list, version, bodies: [], absent: [] })).toEqual([]);
    }
  });
});
