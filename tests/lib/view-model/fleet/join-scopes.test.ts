import { describe, expect, it } from 'vitest';
import { itemsPerStep } from '@/lib/steps/steps';
import {
  countClients,
  joinScopes,
  joinScopesInSteps,
  type ScopedClient,
} from '@/lib/view-model/fleet/join-scopes';

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

  it('links what the wire and the control plane report a node with the scopes that its CSDS reports', () => {
    const links = joinScopes([wire, server, cart, client('o', '', [tap], 'other')]);
    expect(Object.fromEntries(links)).toEqual({
      w: { kind: 'whole', scopeIds: ['c', 's'] },
      c: { kind: 'scope', wholeId: 'w' },
      s: { kind: 'scope', wholeId: 'w' },
    });
  });

  it('counts the process by its scopes alone, where they are known', () => {
    expect(countClients([wire, cart, server])).toBe(2);
    expect(countClients([wire])).toBe(1);
    expect(countClients([cart, server])).toBe(2);
  });

  it('leaves alone a client that reports itself without a scope, and duplicates of it', () => {
    const self = client('w', '', [tap, csds]);
    expect(joinScopes([self, client('d', '(duplicate 2)', [csds])]).size).toBe(0);
    expect(joinScopes([self, cart]).size).toBe(0);
    expect(joinScopes([wire, client('d', '(duplicate 2)', [csds])]).size).toBe(0);
  });

  it('joins nothing of a file with what lives', () => {
    expect(joinScopes([wire, client('x1', 'xds:///cart', [csds])]).size).toBe(0);
  });
});

it('joinScopesInSteps() looks at no more than a step of clients at once, in both of its passes', () => {
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
