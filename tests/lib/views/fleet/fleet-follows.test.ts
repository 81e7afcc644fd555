import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { buildFleetView, type FleetQuestion } from '@/lib/views/fleet/build-fleet-view';
import { describeFleet } from '@/lib/views/fleet/describe-fleet';
import { parseFleetFilter } from '@/lib/views/fleet/fleet-filter';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { clientSummary, typeSummary } from '../../../support/builders/fleet-fixtures';

interface State {
  readonly zone: string;
  readonly nacks: number;
  readonly sizeBytes: number | undefined;
  readonly isGone: boolean;
  readonly version: string;
}

const state: fc.Arbitrary<State> = fc.record({
  zone: fc.constantFrom('', 'x', 'y'),
  nacks: fc.nat(2),
  sizeBytes: fc.option(fc.nat(3), { nil: undefined }),
  isGone: fc.boolean(),
  version: fc.constantFrom('v1', 'v2'),
});

function member(place: number, { zone, nacks, sizeBytes, isGone, version }: State): FleetMember {
  const byState = nacks > 0 ? { NACKED: nacks } : { ACKED: 1 };
  return buildFleetMember(
    clientSummary({
      id: `c${place}`,
      nodeId: `shop-${place}`,
      trouble: nacks,
      worst: nacks > 0 ? 'NACKED' : 'ACKED',
      freshness: isGone ? 'gone' : 'live',
      locality: zone === '' ? null : { region: 'eu', zone, subZone: '' },
      types: [typeSummary({ sizeBytes, byState })],
    }),
    { metadata: nacks === 2 ? {} : { version } },
    place % 7 === 3 ? { kind: 'whole', scopeIds: [] } : undefined,
  );
}

const questions: readonly FleetQuestion[] = [
  { q: '', sort: 'client', group: undefined },
  { q: 'zone=x', sort: 'nacks', group: undefined },
  { q: 'trouble=yes', sort: '-size', group: undefined },
  { q: '', sort: 'size', group: 'zone' as const },
].map(({ q, sort, group }) => ({
  filter: parseFleetFilter(q),
  sort: { columnId: sort.replace('-', ''), descending: sort.startsWith('-') },
  group,
}));

const withoutMade = <T extends { readonly made: unknown }>({ made, ...reported }: T): Omit<T, 'made'> =>
  reported;

describe('a fleet that changes', () => {
  it('has the same view as one that is built from scratch', () => {
    const change = fc.record({ place: fc.nat(23), state });
    fc.assert(
      fc.property(
        fc.array(state, { minLength: 1, maxLength: 24 }),
        fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 4 }),
        (begun, rounds) => {
          let members = begun.map((each, place) => member(place, each));
          let views = questions.map((question) => runSteps(buildFleetView(members, question)));
          let description = runSteps(describeFleet(members));
          for (const round of rounds) {
            members = [...members];
            for (const { place, state: next } of round) {
              if (place < members.length) members[place] = member(place, next);
            }
            views = questions.map((question, index) =>
              runSteps(buildFleetView(members, question, views[index])),
            );
            description = runSteps(describeFleet(members, description));
          }
          const anew = questions.map((question) => runSteps(buildFleetView(members, question)));
          expect(views.map(withoutMade)).toEqual(anew.map(withoutMade));
          expect(withoutMade(description)).toEqual(withoutMade(runSteps(describeFleet(members))));
        },
      ),
    );
  });

  it('is built from scratch if clients are added or removed', () => {
    const members = [1, 2, 3, 4, 5, 6, 7, 8].map((place) =>
      member(place, { zone: 'x', nacks: 0, sizeBytes: 1, isGone: false, version: 'v1' }),
    );
    // Equal members keep their order.
    const [, , , bySize] = questions;
    if (bySize === undefined) throw new Error('expected a question');
    const before = runSteps(buildFleetView(members, bySize));
    for (const now of [members.slice(1), [...members.slice(1), ...members.slice(0, 1)]]) {
      expect(runSteps(buildFleetView(now, bySize, before)).members).toEqual(now);
    }
  });

  it('visits changed clients only', () => {
    let looks = 0;
    const same = { zone: 'x', nacks: 0, sizeBytes: 1, isGone: false, version: 'v1' };
    const members = Array.from({ length: 700 }, (_, place) => {
      const { summary, ...rest } = member(place, same);
      return {
        ...rest,
        get summary() {
          looks += 1;
          return summary;
        },
      };
    });
    const [question] = questions;
    if (question === undefined) throw new Error('expected a question');
    const before = runSteps(buildFleetView(members, question));
    expect(looks).toBeGreaterThan(700);
    looks = 0;
    const now = members.map((each, place) => (place === 350 ? member(350, { ...same, nacks: 1 }) : each));
    expect(runSteps(buildFleetView(now, question, before)).counts).toMatchObject({ nackedClients: 1 });
    expect(looks).toBeLessThan(10);
  });
});
