import { beforeEach, describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import type { ClientSummary } from '@/lib/views/client/schema';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { CDS } from '@/lib/xds/resource-type';
import { mostOfEach, PendingHeads } from '@/server/forwarding/pending-heads';
import { buildHead } from '@/server/store/heads/build-head';
import { clientSummary, typeSummary } from '@/tests/support/builders/fleet-fixtures';

const memberOf = (id: string, other: Partial<ClientSummary> = {}): FleetMember =>
  buildFleetMember(clientSummary({ id, nodeId: id, ...other }), { metadata: {} });
const idOf = (n: number): string => `client-${String(n).padStart(5, '0')}`;
const fleetOf = (count: number): FleetMember[] => Array.from({ length: count }, (_, n) => memberOf(idOf(n)));
const digestOf = (member: FleetMember): string => buildHead(member).row.digest.toString('base64');
/** What changes no state. */
const otherVersion = ({ summary }: FleetMember, version = '2'): FleetMember =>
  memberOf(summary.id, { types: [typeSummary({ versions: [version] })] });

describe('PendingHeads', () => {
  let pending: PendingHeads;
  beforeEach(() => {
    pending = new PendingHeads(new Map());
  });
  const note = (members: readonly FleetMember[]): string[] => runSteps(pending.note(members));
  const take = (): string[] => runSteps(pending.take()).map(({ row }) => row.id.toString());
  const writeAll = (members: readonly FleetMember[]): void => {
    note(members);
    while (!pending.isEmpty) take();
  };

  it('writes so many heads in a round, and is whole when each client has one', () => {
    const members = fleetOf(mostOfEach * 2 + 1);
    note(members);
    expect(take()).toEqual(members.slice(0, mostOfEach).map(({ summary }) => summary.id));
    expect([pending.isWhole, pending.written]).toEqual([false, mostOfEach]);
    expect(take()).toHaveLength(mostOfEach);
    expect(take()).toEqual([idOf(mostOfEach * 2)]);
    expect([pending.isWhole, pending.isEmpty, pending.written]).toEqual([true, true, members.length]);
    expect(take()).toEqual([]);
  });

  const bad = typeSummary({ typeUrl: CDS.typeUrl, byState: { NACKED: 1 } });
  const waiting = {
    state: 'NO_ANSWER',
    resources: 1,
    typeUrl: CDS.typeUrl,
    service: 'CDS',
    name: 'a',
  } as const;
  it.each<[string, Partial<ClientSummary>]>([
    ['the worst state', { worst: 'WARMING' }],
    ['trouble', { trouble: 1 }],
    ['a NACK', { types: [bad] }],
    ['the freshness', { freshness: 'stale' }],
    ['the number of resources', { resources: 2 }],
    ['what waits', { waiting: [{ ...waiting, versionInfo: '1', since: 1, waitsFor: [] }] }],
  ])('writes a change of %s before what changed earlier', (_what, other) => {
    const members = fleetOf(mostOfEach + 3);
    writeAll(members);
    const changed = members.map((member) => otherVersion(member));
    note(changed);
    const last = memberOf(idOf(mostOfEach + 2), other);
    note([...changed.slice(0, -1), last]);
    const round = take();
    expect(round).toHaveLength(mostOfEach + 1);
    expect(round[0]).toBe(last.summary.id);
    expect(take()).toEqual([idOf(mostOfEach), idOf(mostOfEach + 1)]);
  });

  it('writes a new client before what changed earlier, and forgets one that is gone before its turn', () => {
    const members = fleetOf(mostOfEach + 1);
    writeAll(members);
    const changed = members.map((member) => otherVersion(member));
    note(changed);
    const [added, gone] = [memberOf('a-new-one'), memberOf('another-one')];
    note([added, gone, ...changed]);
    expect(note([added, ...changed.slice(1)])).toEqual([idOf(0)]);
    const round = take();
    expect([round.length, round[0], round[1]]).toEqual([mostOfEach + 1, 'a-new-one', idOf(1)]);
    expect([pending.isEmpty, pending.written]).toEqual([true, mostOfEach + 1]);
  });

  it('writes the others in the order of change, as they are at their turn, also while states change all the time', () => {
    const members = fleetOf(mostOfEach * 3);
    writeAll(members);
    const late = members.slice(-mostOfEach);
    const early = members.slice(mostOfEach, -mostOfEach);
    note([...members.slice(0, mostOfEach), ...early, ...late.map((member) => otherVersion(member))]);
    const second = [...early, ...late].map((member) => otherVersion(member, '3'));
    note([
      ...members.slice(0, mostOfEach).map(({ summary }) => memberOf(summary.id, { trouble: 1 })),
      ...second,
    ]);
    const built = runSteps(pending.take());
    expect(built.slice(mostOfEach).map(({ row }) => row.digest.toString('base64'))).toEqual(
      second.slice(-mostOfEach).map(digestOf),
    );
    note([
      ...members.slice(0, mostOfEach).map(({ summary }) => memberOf(summary.id, { trouble: 2 })),
      ...second,
    ]);
    expect(take().slice(mostOfEach)).toEqual(early.map(({ summary }) => summary.id));
  });

  it('compares what another process has written, and writes what differs', () => {
    const members = fleetOf(3);
    const written = [...members.map((member) => [member.summary.id, digestOf(member)] as const)];
    pending = new PendingHeads(new Map([...written, ['gone', 'x']]));
    const [first, ...same] = members as [FleetMember, ...FleetMember[]];
    expect(note([otherVersion(first), ...same])).toEqual(['gone']);
    expect(pending.isWhole).toBe(true);
    expect(take()).toEqual([first.summary.id]);
    expect(pending.isEmpty).toBe(true);
  });
});
