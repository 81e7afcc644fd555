import { describe, expect, it } from 'vitest';
import type { SourceNews } from '@/server/collect/collector/source-messages';
import { SourceOutbox } from '@/server/collect/collector/source-outbox';
import type { Emission } from '@/server/observe';
import { initialSourceStatus } from '@/server/source-status';
import { sampleReport, sampleResource } from '@/tests/support/builders/observation-samples';

function reportOf(rows: number, bodyBytes = 0): Emission {
  const changed = Array.from({ length: rows }, (_, index) => sampleResource({ name: `c${index}` }));
  const body = { hash: 'h', typeUrl: 't', bytes: new Uint8Array(bodyBytes) };
  return { observation: sampleReport({ changed }), bodies: bodyBytes > 0 ? [body] : [] };
}

function setUp(): { outbox: SourceOutbox; posted: SourceNews[] } {
  const posted: SourceNews[] = [];
  return { posted, outbox: new SourceOutbox((news) => posted.push(news)) };
}

describe('SourceOutbox', () => {
  it('sends small pieces together, as many as a large one costs, and the next when one is taken', () => {
    const { outbox, posted } = setUp();
    for (let source = 0; source < 12; source++) outbox.emit(source, reportOf(50));
    expect(posted).toHaveLength(10);
    outbox.taken();
    expect(posted).toHaveLength(11);
    outbox.taken();
    outbox.taken();
    expect(posted.map(({ kind }) => kind)).toEqual(new Array(12).fill('emission'));
  });

  it('sends a large piece alone, and none beside it', () => {
    const { outbox, posted } = setUp();
    outbox.emit(1, reportOf(1_200));
    outbox.emit(2, reportOf(1));
    outbox.emit(3, reportOf(1, 512 * 1024));
    for (const sent of [1, 2, 4, 4, 5]) {
      expect(posted).toHaveLength(sent);
      outbox.taken();
    }
  });

  it('resolves sent() when everything is posted, and emptied() when everything is acknowledged', async () => {
    const { outbox } = setUp();
    const reported: string[] = [];
    outbox.emit(1, reportOf(500));
    outbox.emit(2, reportOf(500));
    const sent = outbox.sent()?.then(() => reported.push('sent'));
    const emptied = outbox.emptied().then(() => reported.push('emptied'));
    outbox.taken();
    await sent;
    expect(reported).toEqual(['sent']);
    outbox.taken();
    await emptied;
    expect(reported).toEqual(['sent', 'emptied']);
    await outbox.sent();
  });

  it('replaces a status that waits, and sends statuses that wait together', () => {
    const { outbox, posted } = setUp();
    outbox.emit(1, reportOf(500));
    for (let source = 0; source < 3; source++) outbox.reportStatus(source, initialSourceStatus);
    outbox.reportStatus(2, { ...initialSourceStatus, answers: 7 });
    outbox.taken();
    expect(posted[1]).toMatchObject({
      kind: 'statuses',
      statuses: [{ source: 0 }, { source: 1 }, { source: 2, status: { answers: 7 } }],
    });
  });
});
