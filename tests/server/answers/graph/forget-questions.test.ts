import { describe, expect, it } from 'vitest';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { CDS } from '@/lib/xds/resource-type';
import { GraphModelBuilder } from '@/server/answers/graph/graph-model-builder';
import type { RunGraphJob } from '@/server/answers/graph/graph-questions';
import { GraphRows } from '@/server/answers/graph/graph-rows';
import { supplyFromRecorder } from '@/server/answers/rows/reading';

const clients = 100;
const bodies = 5;

function rowOf(name: string): ResourceRow {
  return {
    ...{ typeUrl: CDS.typeUrl, service: 'CDS', name, versionInfo: '1', lastUpdated: null, errorState: null },
    ...{ state: 'ACKED', clientStatus: 'ACKED', answer: null, effect: null },
    ...{ configStatus: 'UNKNOWN', hash: `hash of ${name}`, sizeBytes: 10 },
    ...{ isStatic: false, changedAt: 0, sourceId: 's', side: 'client' },
    controlPlane: null,
  };
}

describe('a question that fails while it is being answered', () => {
  it('releases the bodies that were read for it', async () => {
    const { runners, readings } = new GraphModelBuilder({ listsKept: 4 });
    const answered: string[] = [];
    const recorder = {
      readBodies: async () => {
        throw new Error('the file is damaged');
      },
    };
    const run: RunGraphJob = (kind, input) =>
      supplyFromRecorder({ reading: runners[kind](input), readings }, recorder, undefined);
    const rows = new GraphRows({ run, listsKept: 4 });
    for (let client = 0; client < clients; client++) {
      const list = `client ${client}`;
      const held = Array.from({ length: bodies }, (_, index) => rowOf(`c${index}`));
      // A body that nobody has is known only until the question is answered.
      readings.takeAbsent({ hash: `hash of c${client}`, typeUrl: CDS.typeUrl });
      const asked = rows.ask(list, held, 'graph', {}, {});
      await expect(asked).rejects.toThrow('the file is damaged');
      if (readings.find({ hash: `hash of c${client}`, typeUrl: CDS.typeUrl })) answered.push(list);
    }
    expect(answered).toEqual([]);
  });
});
