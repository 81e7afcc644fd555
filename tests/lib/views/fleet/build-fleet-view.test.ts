import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { buildFleetView, type FleetQuestion } from '@/lib/views/fleet/build-fleet-view';
import { parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import { buildFleetMember } from '@/lib/views/fleet/fleet-member';
import { windowOfFleet } from '@/lib/views/fleet/fleet-window';
import { clientSummary, typeSummary } from '../../../support/builders/fleet-fixtures';

const client = (nodeId: string, zone: string, trouble = 0, sizeBytes: number | null = 1) =>
  buildFleetMember(
    clientSummary({
      nodeId,
      trouble,
      worst: trouble > 0 ? 'NACKED' : 'ACKED',
      locality: zone === '' ? null : { region: 'eu', zone, subZone: '' },
      types: [
        typeSummary({
          sizeBytes: sizeBytes ?? undefined,
          byState: trouble > 0 ? { NACKED: trouble } : { ACKED: 1 },
        }),
      ],
    }),
    { metadata: {} },
  );
const fleet = [
  client('a-1', 'x', 0, 5),
  client('a-2', 'y', 2, null),
  client('a-10', 'x', 0, 7),
  client('b', 'y'),
  client('c', 'x', 0, 5),
  client('d', ''),
];

const ask = ({
  q = '',
  sort = 'client',
  group,
}: {
  q?: string;
  sort?: string;
  group?: FleetQuestion['group'];
}) =>
  runSteps(
    buildFleetView(fleet, {
      filter: parseFleetFilter(q),
      sort: { columnId: sort.replace('-', ''), descending: sort.startsWith('-') },
      group,
    }),
  );
const names = (question: Parameters<typeof ask>[0]) =>
  ask(question)
    .members.map(({ summary }) => summary.nodeId)
    .join(' ');

describe('buildFleetView', () => {
  it.each([
    ['by name, as people count', {}, 'a-1 a-2 a-10 b c d'],
    ['backwards', { sort: '-client' }, 'd c b a-10 a-2 a-1'],
    ['by size, unknown last', { sort: 'size' }, 'b d a-1 c a-10 a-2'],
    ['by size backwards, unknown last, equals by name', { sort: '-size' }, 'a-10 a-1 c b d a-2'],
    ['by NACKs', { sort: '-nacks' }, 'a-2 a-1 a-10 b c d'],
    ['by type, trouble first', { sort: '-cds' }, 'a-2 a-1 a-10 b c d'],
    ['filtered', { q: 'zone=x a-' }, 'a-1 a-10'],
  ])('orders %s', (_, question, expected) => {
    expect(names(question)).toBe(expected);
  });

  it('counts the matching clients', () => {
    expect(ask({ q: 'zone=y' }).counts).toMatchObject({
      clients: 2,
      live: 2,
      inTrouble: 1,
      nackedResources: 2,
      nackedClients: 1,
      worst: 'NACKED',
    });
  });
});

describe('windowOfFleet', () => {
  const view = ask({ group: 'zone' });
  const lines = (open: string[], offset = 0, limit = 100) => {
    const { lines: found, total } = windowOfFleet(view, new Set(open), { offset, limit });
    const texts = found.map((line) =>
      line.kind === 'group'
        ? `${line.isOpen ? 'v' : '>'}${line.group.value}(${line.group.counts.clients})`
        : line.member.summary.nodeId,
    );
    return `${texts.join(' ')} of ${total}`;
  };

  it.each([
    ['closed groups: trouble first, then the largest', [], 0, 100, '>y(2) >x(3) >(1) of 3'],
    ['an open group', ['x'], 0, 100, '>y(2) vx(3) a-1 a-10 c >(1) of 6'],
    ['from the middle of an open group', ['x', 'y'], 4, 3, 'a-1 a-10 c of 8'],
    ['over the end of a group', ['x'], 4, 2, 'c >(1) of 6'],
    ['no more than asked for', ['x'], 1, 2, 'vx(3) a-1 of 6'],
    ['behind the end', ['x'], 60, 2, ' of 6'],
    ['a group that is not there', ['z'], 0, 1, '>y(2) of 3'],
  ])('shows %s', (_, open, offset, limit, expected) => {
    expect(lines(open, offset, limit)).toBe(expected);
  });
});
