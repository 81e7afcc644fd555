import { describe, expect, it } from 'vitest';
import { itemsPerStep } from '@/lib/cooperative/steps';
import { joinScopes, joinScopesInSteps, type ScopedClient } from '@/lib/views/fleet/join-scopes';

const tap = { vantage: 'tap', side: 'client' } as const;
const csds = { vantage: 'csds', side: 'client' } as const;
const plane = { vantage: 'csds', side: 'control-plane' } as const;
const client = (
  id: string,
  scope: string,
  reports: ScopedClient['reports'],
  nodeId = 'shop',
): ScopedClient => ({
  id,
  nodeId,
  scope,
  reports,
});

describe('joinScopes', () => {
  const wire = client('w', '', [tap, plane]);
  const cart = client('c', 'xds:///cart', [csds]);
  const server = client('s', '#server', [csds]);

  it('links the node that control planes and load reports have with the scopes of CSDS and taps', () => {
    const links = joinScopes([wire, server, cart, client('o', '', [tap], 'other')]);
    expect(Object.fromEntries(links)).toEqual({
      w: { kind: 'whole', scopeIds: ['c', 's'] },
      c: { kind: 'scope', wholeId: 'w', scopeIds: ['c', 's'] },
      s: { kind: 'scope', wholeId: 'w', scopeIds: ['c', 's'] },
    });
  });

  it('links the targets of a process without a report on the whole process', () => {
    const links = joinScopes([cart, client('d', 'checkout', [tap]), client('o', 'cart', [tap], 'other')]);
    expect(Object.fromEntries(links)).toEqual({
      c: { kind: 'scope', scopeIds: ['c', 'd'] },
      d: { kind: 'scope', scopeIds: ['c', 'd'] },
    });
  });

  it('does not link a probe with the process whose node id it uses', () => {
    const probe = { vantage: 'probe', side: 'client' } as const;
    expect(joinScopes([client('p', '', [probe]), cart]).size).toBe(0);
    expect(joinScopes([client('p', '#probe ads:a:1', [probe]), cart]).size).toBe(0);
    expect(joinScopes([client('p', '#probe ads:a:1', [tap]), cart]).size).toBe(0);
  });

  it('does not link a client that CSDS reports without a scope, nor its duplicates', () => {
    const self = client('w', '', [tap, csds]);
    expect(joinScopes([self, client('d', '(duplicate 2)', [csds])]).size).toBe(0);
    expect(joinScopes([self, cart]).size).toBe(0);
    expect(joinScopes([wire, client('d', '(duplicate 2)', [csds])]).size).toBe(0);
  });

  it('does not link clients of files with live ones', () => {
    expect(joinScopes([wire, client('x1', 'xds:///cart', [{ ...csds, vantage: 'dump' }])]).size).toBe(0);
  });
});

it('joinScopesInSteps() visits at most one step of clients at once, in both passes', () => {
  let looked = 0;
  function* clients(): Iterable<ScopedClient> {
    for (; looked < 10 * itemsPerStep; looked++) yield client(`c${looked}`, '', [csds], `node ${looked}`);
  }
  const steps = joinScopesInSteps(clients());
  const lookedBefore: number[] = [];
  while (steps.next().done !== true) lookedBefore.push(looked);
  const most = Math.max(...lookedBefore.map((count, index) => count - (lookedBefore[index - 1] ?? 0)));
  expect(most).toBeLessThanOrEqual(itemsPerStep);
  expect(lookedBefore.filter((count) => count === looked)).toHaveLength(10);
});
