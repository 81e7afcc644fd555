import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findInteropCase } from '@/lib/interop/cases/interop-cases';
import type { InteropCase } from '@/lib/interop/interop-case';
import type { InteropRun } from '@/lib/interop/run-schema';
import { type ClientProgram, labClient } from '@/server/lab/interop-runs/client-program';
import { performRun, runWithFlags } from '@/server/lab/interop-runs/perform-run';
import { systemClock } from '@/server/observe';

function caseOf(name: string): InteropCase {
  const found = findInteropCase(name);
  if (found === undefined) throw new Error(`expected a case, got ${name}`);
  return found;
}

const run = (testCase: InteropCase, program: ClientProgram = labClient()) =>
  performRun(testCase, { clock: systemClock, program, id: randomUUID(), nodeId: `test-${randomUUID()}` });

const slow = 120_000;

describe('runWithFlags', () => {
  const flagged = caseOf('dualstack');
  const ended = (change: Partial<InteropRun>) =>
    ({ verdict: 'fails', reason: 'b1 is lost', ...change }) as InteropRun;

  it('runs a case that does not work again, with what switches its feature on', async () => {
    const reasons: (string | undefined)[] = [];
    const last = await runWithFlags(flagged, async (reason) => {
      reasons.push(reason);
      return ended(reason === undefined ? {} : { verdict: 'by-flag' });
    });
    expect([reasons, last.verdict]).toEqual([[undefined, 'b1 is lost'], 'by-flag']);
  });

  it.each([
    ['a case that works', flagged, { verdict: 'works' as const }],
    ['a run that proves nothing', flagged, { verdict: 'inconclusive' as const }],
    ['a result that is listed', flagged, { known: 'not implemented' }],
    ['a case without variables', caseOf('ping_pong'), {}],
  ])('does not repeat %s', async (_, testCase, change) => {
    let runs = 0;
    await runWithFlags(testCase, async () => {
      runs += 1;
      return ended(change);
    });
    expect(runs).toBe(1);
  });
});

describe('performRun', () => {
  it('runs a case with the client of the lab: each step has what was expected and seen', {
    timeout: slow,
  }, async () => {
    const { verdict, reason, steps, machine, environment } = await run(caseOf('gentle_failover'));
    expect([verdict, reason, environment]).toEqual(['works', '', undefined]);
    expect(machine).toMatchObject({ node: process.version, cores: expect.any(Number) });
    // The start serves everything; each change of health changes the endpoints alone, and the fifth step the way back.
    expect(steps[0]?.served?.map(({ service }) => service).sort()).toEqual(['CDS', 'EDS', 'LDS', 'RDS']);
    expect(steps[2]?.served).toMatchObject([
      { server: 'primary', service: 'EDS', name: 'a', json: expect.stringContaining('UNHEALTHY') },
    ]);
    expect(steps.map(({ outcome }) => outcome)).toEqual(Array(6).fill('holds'));
    expect(steps.at(-1)).toMatchObject({
      step: 6,
      expected: 'only a1, a2 and a3 answer, no RPC fails',
      seen: expect.stringMatching(/^40 RPCs: \d+ by a1, \d+ by a2, \d+ by a3, 0 failed$/),
    });
  });

  it('connects with the certificates that the config states, and not with others', {
    timeout: slow,
  }, async () => {
    const { verdict, reason, steps, flags, bootstrap } = await run(caseOf('security_mtls_error'));
    expect([verdict, reason]).toEqual(['works', '']);
    expect(flags).toContain('--secure_mode=true');
    expect(JSON.parse(bootstrap)).toMatchObject({
      certificate_providers: { identity: { plugin_name: 'file_watcher' } },
    });
    expect(steps.map(({ seen }) => seen)).toEqual([
      expect.stringMatching(/^statistics at /),
      'a1: TLS with a certificate of the client',
      expect.not.stringMatching(/ OK/),
      '40 RPCs: 40 by a1, 0 failed',
    ]);
  });

  it('denies what a policy of the server denies', { timeout: slow }, async () => {
    const base = caseOf('authz_mtls_allow');
    const permissive = { ...base, resources: caseOf('authz_plaintext_deny').resources };
    const { verdict, reason, steps } = await run({ ...permissive, steps: base.steps.slice(1, 2) });
    expect([verdict, reason]).toEqual(['works', '']);
    expect(steps.at(-1)?.title).toBe('RPCs with the header "any-principal"');
    const denied = await run({
      ...permissive,
      steps: base.steps.slice(-1).map((step) => ({ ...step, withinMs: 2_000 })),
    });
    expect(denied).toMatchObject({
      verdict: 'fails',
      reason: expect.stringContaining('PERMISSION_DENIED; seen'),
    });
  });

  it('states the NACK of a client that rejects what the case serves', { timeout: slow }, async () => {
    const base = caseOf('ping_pong');
    const resources: InteropCase['resources'] = (mesh) =>
      (base.resources?.(mesh) ?? []).map((each) =>
        each.name === 'a' && 'lbPolicy' in each.json
          ? { ...each, json: { ...each.json, lbPolicy: 'MAGLEV' } }
          : each,
      );
    const { verdict, reason, nacks } = await run({ ...base, name: 'maglev', resources });
    expect(verdict).toBe('rejects');
    expect(reason).toMatch(/^NACK of CDS: /);
    expect(nacks).toBeGreaterThan(0);
  });

  it('proves nothing if the program ends before its first RPC', { timeout: slow }, async () => {
    const script = 'process.stderr.write("no such flag\\n"); process.exit(3)';
    const program = { name: 'broken', version: '1', command: [process.execPath, '-e', script, '--'] };
    const { verdict, reason, steps } = await run(caseOf('ping_pong'), program);
    expect(verdict).toBe('inconclusive');
    expect(reason).toBe('the client ended before its first RPC: exit code 3: no such flag');
    expect(steps).toMatchObject([{ step: 1, outcome: 'fails' }]);
  });

  it('proves nothing if the program does not exist', { timeout: slow }, async () => {
    const program = { name: 'absent', version: '1', command: ['/nonexistent/client'] };
    const { verdict, reason } = await run(caseOf('ping_pong'), program);
    expect([verdict, reason]).toEqual(['inconclusive', expect.stringMatching(/ENOENT/)]);
  });
});
