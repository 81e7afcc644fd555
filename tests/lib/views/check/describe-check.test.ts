import { describe, expect, it } from 'vitest';
import { describeAgainst } from '@/lib/views/check/describe-against';
import { describeCheck, describeHolders } from '@/lib/views/check/describe-check';
import type { Check, CheckAgainst, CheckedResource } from '@/lib/views/check/schema';
import { CDS } from '@/lib/xds/resource-type';

const key = { typeUrl: CDS.typeUrl, service: 'CDS', name: 'cart' };
const resource: CheckedResource = {
  ...key,
  ...{ index: 0, place: '', sizeBytes: 10, cells: ['ACK'], wouldReject: 0, findings: [], findingsTotal: 0 },
};

function checkOf(fleet: Partial<Check['fleet']>, cells: CheckedResource['cells'] = ['ACK']): Check {
  return {
    columns: [{ profile: 'go-1.85', clients: 8, named: [] }],
    fleet: { clients: 10, unidentified: 0, wouldReject: 0, ...fleet },
    total: 1,
    resources: [{ ...resource, cells }],
    problems: [],
    problemsTotal: 0,
    dangling: [],
    danglingTotal: 0,
  };
}

describe('describeCheck', () => {
  it('begins with the clients that have the resource now', () => {
    expect(describeCheck(checkOf({ wouldReject: 5, holdersWouldReject: 1 }))).toEqual([
      '1 client that has this resource now would reject it.',
      '5 of 10 clients would reject it, if a control plane sent it.',
    ]);
    expect(describeCheck(checkOf({ wouldReject: 5, holdersWouldReject: 0 }))[0]).toBe(
      'No client that has this resource now would reject it.',
    );
    const unheld = checkOf({ wouldReject: 5, holdersWouldReject: 0 });
    const resources = unheld.resources.map((each) => ({ ...each, holders: { clients: 0, wouldReject: 0 } }));
    expect(describeCheck({ ...unheld, resources })).toEqual([
      '5 of 10 clients would reject it, if a control plane sent it.',
      'No client has this resource now.',
    ]);
    expect(describeCheck(checkOf({ wouldReject: 5 }))).toEqual([
      '5 of 10 clients would reject it, if a control plane sent it.',
    ]);
  });

  it('does not state an ACK while a part is not checked', () => {
    expect(describeCheck(checkOf({}))).toEqual(['Every client of a known kind would accept it.']);
    expect(describeCheck(checkOf({}, ['NO_FAULT_FOUND']))).toEqual([
      'No client of a known kind is known to reject it; not every part is checked.',
    ]);
  });

  it('does not state an ACK of clients that do not request the type, or ignore the resource', () => {
    const first = (...cells: CheckedResource['cells']) => describeCheck(checkOf({}, cells))[0];
    expect(first('NOT_REQUESTED')).toBe('No client of a known kind requests resources of this type.');
    expect(first('ACK', 'NOT_REQUESTED')).toBe(
      'Every client of a known kind that requests it would accept it.',
    );
    expect(first('ACK', 'ACK_IGNORED')).toBe(
      'No client of a known kind would reject it; some would ACK and ignore it.',
    );
  });

  it('states no ACK of resources that are not listed', () => {
    expect(describeCheck({ ...checkOf({}), total: 2 })[0]).toBe(
      'No client of a known kind is known to reject one of them; not every part is checked.',
    );
  });

  it('states what is not judged', () => {
    expect(describeCheck(checkOf({ unidentified: 2 })).at(-1)).toBe(
      '2 clients of an unknown kind are not judged.',
    );
    const noClient =
      'No client of a known kind is in this fleet: the newest measured version of each kind is shown.';
    const empty = (cell: CheckedResource['cells'][number]) =>
      describeCheck({
        ...checkOf({ clients: 0 }, [cell]),
        columns: [{ profile: 'go-1.85', clients: 0, named: [] }],
      });
    expect(empty('ACK')).toEqual(['Each of the clients below would accept it.', noClient]);
    expect(empty('NOT_REQUESTED')[0]).toBe('None of the clients below requests resources of this type.');
    expect(empty('ACK_IGNORED')[0]).toBe(
      'None of the clients below would reject it; some would ACK and ignore it.',
    );
    expect(empty('NACK')).toEqual(['Go 1.85 would reject it.', noClient]);
    expect(empty('NO_FAULT_FOUND')).toEqual([
      'None of the clients below is known to reject it; not every part is checked.',
      noClient,
    ]);
  });
});

describe('describeHolders', () => {
  it('counts the clients that have the resource', () => {
    const of = (clients: number, wouldReject: number) =>
      describeHolders({ ...resource, holders: { clients, wouldReject } });
    expect(of(0, 0)).toBe('no client has it');
    expect(of(1, 0)).toBe('1 client has it');
    expect(of(3, 2)).toBe('2 of 3 clients that have it would reject it');
    expect(describeHolders(resource)).toBe('');
  });
});

describe('describeAgainst', () => {
  it('states what the changes do not include, and what they assume', () => {
    const against: CheckAgainst = {
      ...{ clientId: 'c', nodeId: 'shop', profile: 'go-1.85', profileReason: 'r' },
      counts: { added: 1, changed: 0, equal: 2, absent: 0 },
      removed: [],
      removedTotal: 0,
      rejected: [{ ...key, verdict: 'NACK' }],
      undecided: [{ ...key, name: 'b' }],
      unreached: [{ ...key, name: 'd' }],
      listeners: [],
      listenersLeft: 0,
    };
    expect(describeAgainst(against)).toEqual([
      'The input has 1 resource that the client does not have, 2 resources that the client has as they are.',
      'What the input lacks stays as it is.',
      'It rejects CDS "cart": the changes are without it.',
      'It is not known whether it accepts CDS "b": parts of it are not checked. The changes assume that it does.',
      'No listener leads to CDS "d".',
    ]);
    const counts = { added: 0, changed: 0, equal: 1, absent: 2 };
    expect(describeAgainst({ ...against, counts })[1]).toBe(
      '2 listeners and clusters that the input lacks stay.',
    );
    expect(describeAgainst({ ...against, counts, removedTotal: 2 })[1]).toBe(
      '2 listeners and clusters that the input lacks are removed.',
    );
  });
});
