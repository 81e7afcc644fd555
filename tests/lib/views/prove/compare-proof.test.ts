import { describe, expect, it } from 'vitest';
import type { ExplainedBranch } from '@/lib/views/explain/schema';
import { compareProof } from '@/lib/views/prove/compare-proof';
import type { Proof } from '@/lib/views/prove/schema';

const forwarded: ExplainedBranch = {
  ...{ kind: 'forwarded', text: '', when: '', listener: 'l', virtualHost: 'v', route: 'a', cluster: 'c' },
  endpoints: [{ address: '10.0.0.1:80', priority: 'priority 0', locality: 'eu' }],
};
const notFound: ExplainedBranch = {
  ...{ kind: 'failed', text: 'no route', when: '', listener: 'l', virtualHost: 'v', status: 404, flag: 'NR' },
};
const viaUpstream = { details: 'via_upstream', status: 200, virtualHost: 'v', requests: 5 };
const place = 'virtualHosts[0].routes[1]';
const observedRoute = { ...viaUpstream, route: 'a', routePath: place, cluster: 'c' };

function compared(
  branches: ExplainedBranch[],
  outcomes: Proof['outcomes'],
  addresses: readonly string[] = ['10.0.0.1:80'],
  services: Proof['services'] = [],
) {
  const endpoints = addresses.map((address) => ({
    ...{ address, cluster: 'c', priority: 0, locality: 'eu', requests: 1 },
  }));
  const steps = compareProof(
    { branches },
    {
      ...{ outcomes, endpoints, listener: { name: 'l', address: '' }, services },
      program: { name: 'Envoy', version: '1.40.0' },
    },
  );
  return Object.fromEntries(steps.map(({ what, comparison }) => [what, comparison]));
}

it('states what is the same', () => {
  expect(compared([forwarded], [observedRoute])).toEqual({
    ...{ listener: 'same', 'virtual host': 'same', route: 'same', cluster: 'same' },
    ...{ answer: 'same', endpoint: 'same' },
  });
});

it('leaves endpoints open among which the zone of the client decides', () => {
  const other = [{ ...forwarded, endpoints: [{ address: '10.0.0.9:80', priority: 'P0', locality: 'eu' }] }];
  expect(compared(other, [observedRoute]).endpoint).toBe('differs');
  const byZone = other.map((branch) => ({ ...branch, isByZone: true as const }));
  expect(compared(byZone, [observedRoute]).endpoint).toBe('not explained');
});

it('compares a route without a name by its place', () => {
  const branch = { ...forwarded, route: 'route 2' };
  expect(compared([branch], [{ ...observedRoute, route: '' }]).route).toBe('same');
  expect(compared([{ ...branch, route: 'route 1' }], [{ ...observedRoute, route: '' }]).route).toBe(
    'differs',
  );
});

it('states what differs', () => {
  expect(compared([forwarded], [{ ...observedRoute, cluster: 'd' }]).cluster).toBe('differs');
  expect(compared([forwarded], [observedRoute], ['10.0.0.9:80']).endpoint).toBe('differs');
  const own = { status: 403, details: 'rbac_access_denied', virtualHost: 'v', requests: 5 };
  expect(compared([forwarded], [own]).answer).toBe('differs');
});

it('accepts every branch of a trace, and nothing else', () => {
  const other = { ...forwarded, cluster: 'd' };
  const both = [observedRoute, { ...observedRoute, cluster: 'd' }];
  expect(compared([forwarded, other], both).cluster).toBe('same');
  expect(compared([forwarded, other], [...both, { ...observedRoute, cluster: 'e' }]).cluster).toBe('differs');
});

it('states what is not observed, and what the trace leaves open', () => {
  const observed = { status: 404, flag: 'NR', details: 'route_not_found', requests: 5 };
  expect(compared([notFound], [observed])).toEqual({
    ...{ listener: 'same', 'virtual host': 'not observed', answer: 'same' },
  });
  const unknown: ExplainedBranch = { kind: 'unknown', text: 'scoped routes', when: '', listener: 'l' };
  expect(compared([unknown], [observedRoute])).toMatchObject({
    ...{ listener: 'same', route: 'not explained', answer: 'not explained' },
  });
});

it('compares the answer of a filter without its cluster, and without the flag of a delay', () => {
  const { cluster: _, ...reached } = forwarded;
  const aborted: ExplainedBranch = { ...reached, kind: 'failed', status: 503, flag: 'FI', filter: 'fault' };
  const observed = { ...observedRoute, status: 503, flag: 'DI,FI', details: 'fault_filter_abort' };
  const steps = compared([aborted], [observed], []);
  expect(steps).toMatchObject({ route: 'same', answer: 'same' });
  expect(steps).not.toHaveProperty('cluster');
  expect(compared([forwarded, aborted], [observed]).cluster).toBe('same');
});

it('compares an RPC by its code, and by the aggregate cluster that the route names', () => {
  const rpc = { grpcCode: '0', cluster: 'c-eu', requests: 5 };
  expect(compared([forwarded], [rpc])).toMatchObject({
    ...{ 'virtual host': 'not observed', route: 'not observed', cluster: 'differs', answer: 'same' },
  });
  expect(compared([forwarded], [{ ...rpc, aggregates: ['all', 'c'] }]).cluster).toBe('same');
  const { endpoints: _, cluster: __, ...own } = forwarded;
  const failed: ExplainedBranch = { ...own, kind: 'failed', grpcCode: 'UNAVAILABLE' };
  const unavailable = { grpcCode: '14', details: 'no route', requests: 5 };
  expect(compared([failed], [unavailable], []).answer).toBe('same');
  expect(compared([forwarded], [unavailable], []).answer).toBe('differs');
});

describe('with stubs in place of external services', () => {
  const { cluster: _, ...reached } = forwarded;
  const denied: ExplainedBranch = {
    ...{ ...reached, kind: 'failed', flag: 'UAEX', filter: 'authz', isService: true },
  };
  const limited: ExplainedBranch = {
    ...{ ...reached, kind: 'failed', status: 429, flag: 'RL', filter: 'limit', isService: true },
  };
  const all = [forwarded, denied, limited];
  const stubs = (deniedBy = ''): Proof['services'] =>
    ['authz', 'limit'].map((filter) => ({ filter, answer: filter === deniedBy ? 'deny' : 'allow' }));
  const byService = { ...observedRoute, status: 401, flag: 'UAEX', details: 'ext_authz_denied' };
  const byLimit = { ...observedRoute, status: 429, flag: 'RL', details: 'request_rate_limited' };

  it('compares with the branches in which all services allow the request', () => {
    expect(compared(all, [observedRoute], undefined, stubs()).cluster).toBe('same');
    expect(compared(all, [{ ...observedRoute, cluster: 'd' }], undefined, stubs()).cluster).toBe('differs');
    expect(compared(all, [byLimit], [], stubs()).answer).toBe('differs');
  });

  it('compares with the branch of the filter whose service denies the request, which chooses the status', () => {
    expect(compared(all, [byService], [], stubs('authz')).answer).toBe('same');
    expect(compared(all, [byLimit], [], stubs('limit')).answer).toBe('same');
    expect(compared(all, [observedRoute], undefined, stubs('limit')).answer).toBe('differs');
  });

  it('leaves open what an earlier filter may answer, and a later one cannot', () => {
    const script: ExplainedBranch = { kind: 'unknown', text: 'a script', when: '', filter: 'lua' };
    const odd = { ...observedRoute, status: 418, details: 'odd' };
    expect(compared([forwarded, script, limited], [odd], [], stubs('limit')).answer).toBe('not explained');
    expect(compared([forwarded, limited, script], [odd], [], stubs('limit')).answer).toBe('differs');
  });
});
