import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { describeFleet } from '@/lib/views/fleet/describe-fleet';
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

const withoutMade = <T extends { readonly made: unknown }>({ made, ...reported }: T): Omit<T, 'made'> =>
  reported;

describe('a fleet that changes', () => {
  it('has the same description as one that is built from scratch', () => {
    const change = fc.record({ place: fc.nat(23), state });
    fc.assert(
      fc.property(
        fc.array(state, { minLength: 1, maxLength: 24 }),
        fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 4 }),
        (begun, rounds) => {
          let members = begun.map((each, place) => member(place, each));
          let description = runSteps(describeFleet(members));
          for (const round of rounds) {
            members = [...members];
            for (const { place, state: next } of round) {
              if (place < members.length) members[place] = member(place, next);
            }
            description = runSteps(describeFleet(members, description));
          }
          expect(withoutMade(description)).toEqual(withoutMade(runSteps(describeFleet(members))));
        },
      ),
    );
  });
});
