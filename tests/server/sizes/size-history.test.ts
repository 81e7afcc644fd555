import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { SizeHistory } from '@/server/sizes/size-history';
import { clientSummary, typeSummary } from '../../support/builders/fleet-fixtures';
import { ManualClock } from '../../support/recorder-manual-clock';

const cds = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const eds = 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment';

function member(id: string, sizes: Readonly<Record<string, number>>): FleetMember {
  const types = Object.entries(sizes).map(([typeUrl, sizeBytes]) => typeSummary({ typeUrl, sizeBytes }));
  return buildFleetMember(clientSummary({ id, nodeId: id, types }), { metadata: {} });
}

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'xdscope-sizes-'));
  file = path.join(folder, 'size-history.ndjson.gz');
});
afterEach(() => rmSync(folder, { recursive: true }));

function open(members: readonly FleetMember[], clock = new ManualClock()) {
  const fleet = { find: () => Promise.resolve({ revision: 1, members }) };
  return { clock, history: new SizeHistory({ clock, fleet, file, mostSamples: 8 }) };
}

describe('SizeHistory', () => {
  it('returns the same after a restart, of all clients and of each, and continues', async () => {
    const clients = Array.from({ length: 600 }, (_, index) => member(`c${index}`, { [cds]: index + 1 }));
    const before = open(clients);
    await before.history.sample();
    before.clock.advance(30_000);
    const grown = [member('c0', { [cds]: 1, [eds]: 70 }), ...clients.slice(1)];
    const changed = open(grown, before.clock);
    await changed.history.restore();
    expect(changed.history.list()).toEqual([]);
    await before.history.close();
    await changed.history.restore();
    expect(changed.history.list()).toEqual(before.history.list());
    await changed.history.sample();
    await changed.history.close();

    const again = open(grown, before.clock);
    await again.history.restore();
    expect(again.history.list()).toEqual(changed.history.list());
    expect(again.history.list()).toHaveLength(2);
    expect(again.history.listOf(member('c0', {}))).toEqual(changed.history.listOf(member('c0', {})));
    expect(again.history.clients.firstOf('c599')).toEqual({ at: before.clock.now() - 30_000, bytes: 600 });
  });

  it('keeps its interval after a restart', async () => {
    const { clock, history } = open([member('a', { [cds]: 1 })]);
    for (let sample = 0; sample < 8; sample += 1) {
      await history.sample();
      clock.advance(30_000);
    }
    await history.close();
    const next = open([member('a', { [cds]: 1 })], clock);
    await next.history.restore();
    next.history.start();
    clock.advance(59_999);
    expect(clock.waiting).toBe(1);
    clock.advance(1);
    await expect.poll(() => next.history.list()).toHaveLength(5);
    await next.history.close();
  });

  it('rejects a file of another version without changing it', async () => {
    const content = gzipSync('{"version":2}\n');
    writeFileSync(file, content);
    await expect(open([member('a', { [cds]: 1 })]).history.restore()).rejects.toThrow(
      `${file}: expected version 1, got 2: another xdscope wrote it`,
    );
    expect(readFileSync(file).equals(content)).toBe(true);
  });

  it.each([
    ['half of it', () => readFileSync(file).subarray(0, 60)],
    ['nothing', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('no gzip')],
    ['another head', () => gzipSync('{"version":1}\n')],
    ['other lines', () => gzipSync('{"version":1,"types":[],"everyMs":1,"samples":[]}\n{"client":1}\n')],
  ])('reports a file with %s, and starts again', async (_, content) => {
    const first = open([member('a', { [cds]: 1 })]);
    await first.history.sample();
    await first.history.close();
    writeFileSync(file, content());
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { history } = open([member('a', { [cds]: 1 })]);
    await history.restore();
    expect(said).toHaveBeenCalledWith(expect.stringContaining('the record of growth starts again'));
    said.mockRestore();
    expect(history.list()).toEqual([]);
    await history.sample();
    expect(history.list()).toHaveLength(1);
  });
});
