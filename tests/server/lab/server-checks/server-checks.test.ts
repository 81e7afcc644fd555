import { describe, expect, it, onTestFinished } from 'vitest';
import type { ManagementServerOptions } from '@/server/lab/management-server/management-server';
import type { ConfigAdapter } from '@/server/lab/server-checks/check-run';
import { startLabServer } from '@/server/lab/server-checks/lab-server';
import { runChecks, serverChecks } from '@/server/lab/server-checks/run-checks';
import { clusterOf, endpointsOf } from '@/server/lab/server-checks/served-config';
import { systemClock } from '@/server/observe';
import { plainServer } from '@/server/transport/bootstrap/server-config';
import { parseTarget } from '@/server/transport/targets/target';

async function startServer(options: Partial<ManagementServerOptions> = {}, atEnd = onTestFinished) {
  const { server, adapter, target, close } = await startLabServer(systemClock, options);
  atEnd(close);
  const parsed = parseTarget(target);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  const subject = {
    server: plainServer(parsed.target),
    clock: systemClock,
    nodeOf: (id: string) => ({ id: `check-${id}`, cluster: 'checks' }),
    mayReject: true,
  };
  return { server, adapter, subject };
}

describe.concurrent('the management server of the lab', () => {
  // Tests that run at once have an end of their own.
  it.for(serverChecks.map((check) => [check.id, check] as const))('passes %s', async ([, check], context) => {
    const { subject, adapter } = await startServer({}, context.onTestFinished);
    const [result] = await runChecks({ ...subject, adapter }, [check]);
    expect(result).toMatchObject({ verdict: 'passes' });
    expect(result?.messages.length).toBeGreaterThan(1);
  });
});

describe('a server that is only read', () => {
  it('is asked what changes nothing, and rejected only if that is allowed', async () => {
    const { subject, adapter, server } = await startServer();
    const wanted = ['S1', 'S4', 'S5', 'S8', 'S24', 'D5', 'D15'];
    const checks = serverChecks.filter(({ id }) => wanted.includes(id));
    await adapter.replace([]);
    server.setResources('*', []);
    const results = await runChecks({ ...subject, mayReject: false }, checks);
    expect(results.map(({ id, verdict, seen }) => [id, verdict, seen])).toMatchObject([
      ['S1', 'passes', expect.stringContaining('CDS without resources')],
      ['S4', 'not-asked', 'the check changes the config of the server'],
      ['S5', 'not-asked', 'the check rejects a response, which was not allowed'],
      ['S8', 'not-asked', 'expected endpoints of at least 2 clusters, the server has those of 0'],
      ['S24', 'not-asked', 'the check changes the config of the server'],
      ['D5', 'passes', expect.stringContaining('removing xdscope-check-of-unknown-endpoints')],
      ['D15', 'not-asked', 'the check rejects a response, which was not allowed'],
    ]);
  });

  it('leaves a check open whose made-up name it knows, as istiod knows any', async () => {
    const { subject, server } = await startServer();
    const checks = serverChecks.filter(({ id }) => id === 'D5');
    server.setResources('*', [clusterOf('c1'), endpointsOf('xdscope-check-of-unknown-endpoints')]);
    const [result] = await runChecks(subject, checks);
    expect(result).toMatchObject({
      ...{ verdict: 'not-asked', seen: 'the server has endpoints for a name that was made up' },
    });
  });
});

describe('a server that breaks rules', () => {
  it('fails with what it did: silence', async () => {
    const { subject, adapter, server } = await startServer();
    const replace: ConfigAdapter['replace'] = async (changes) => {
      server.setSilent(false);
      await adapter.replace(changes);
    };
    const check = serverChecks.find(({ id }) => id === 'S1');
    if (check === undefined) throw new Error('S1 is not there');
    server.setSilent(true);
    const silent = { features: [], replace: async () => server.setSilent(true) };
    const [result] = await runChecks({ ...subject, adapter: silent }, [check]);
    expect(result).toMatchObject({ verdict: 'fails', seen: 'the first request of CDS was not answered' });
    const [again] = await runChecks({ ...subject, adapter: { ...adapter, replace } }, [check]);
    expect(again?.verdict).toBe('passes');
  });

  it('is not asked what only requests for some resources show, if it answers those for all alone', async () => {
    const { subject, server } = await startServer();
    const names = ['c1', 'c2'];
    server.setResources('*', [
      ...names.map((name) => clusterOf(name)),
      ...names.map((name) => endpointsOf(name)),
    ]);
    server.onRequest(({ resourceNames }) => {
      const isOfAll = resourceNames.length === 0 || names.every((name) => resourceNames.includes(name));
      server.setSilent(!isOfAll);
    });
    const results = await runChecks(
      subject,
      serverChecks.filter(({ id }) => ['S2', 'S17', 'S22'].includes(id)),
    );
    const wholeOnly = (of: string) =>
      `a request for all 2 ${of} is answered, and one for a single name is not: likely the server waits until a request names every resource of the type, as a cache of go-control-plane for ADS does`;
    expect(results.map(({ id, verdict, seen }) => [id, verdict, seen])).toEqual([
      ['S2', 'passes', expect.stringMatching(/^EDS with c1, c2/)],
      ['S17', 'fails', `no response; ${wholeOnly('clusters')}`],
      ['S22', 'not-asked', wholeOnly('endpoints')],
    ]);
  });

  it('fails with a response that cannot be decoded', async () => {
    const { subject, adapter, server } = await startServer();
    const check = serverChecks.find(({ id }) => id === 'S1');
    server.onRequest(() => server.pushRaw('*', Buffer.from([0xff])));
    const silent = { features: [], replace: async () => server.setSilent(true) };
    const [result] = await runChecks({ ...subject, adapter: silent }, check ? [check] : []);
    expect(result?.verdict).toBe('fails');
    expect(result?.seen).toContain('it sent a response that cannot be decoded: ');
    server.setSilent(false);
    await adapter.replace([]);
  });

  it('fails with the status of a stream that it does not serve', async () => {
    const { subject, adapter } = await startServer({ serves: ({ isDelta }) => !isDelta });
    const check = serverChecks.find(({ id }) => id === 'D1');
    const [result] = await runChecks({ ...subject, adapter }, check ? [check] : []);
    expect(result?.verdict).toBe('fails');
    expect(result?.seen).toMatch(/^the first request of CDS was not answered: .* has no delta ADS service$/);
  });
});
