import { expect, it } from 'vitest';
import { formatRun, formatRunCounts, formatRunsAsJunit } from '@/lib/interop/format-runs';
import type { InteropRun } from '@/lib/interop/run-schema';

function runOf(name: string, run: Partial<InteropRun>): InteropRun {
  return {
    ...{ id: name, case: name, client: { name: 'grpc-go', version: '1.85.0' }, state: 'ended', startedAt: 0 },
    ...{
      seconds: 1.234,
      reason: '',
      nodeId: 'n',
      of: 2,
      steps: [],
      flags: [],
      bootstrap: '',
      nacks: 0,
      stderr: '',
    },
    ...run,
  };
}

const works = runOf('ping_pong', { verdict: 'works' });
const fails = runOf('affinity', { verdict: 'fails', reason: 'expected "a1" & got \u0007<b1>' });
const listed = runOf('custom_lb', { verdict: 'unable', reason: 'no policy', known: 'no policy' });

it('formats a run as a line, with the reason if it does not work', () => {
  expect(formatRun(works)).toBe('works        ping_pong  1.2s');
  expect(formatRun(fails)).toBe('fails        affinity  1.2s\n             expected "a1" & got \ufffd<b1>');
  expect(formatRun(listed)).toMatch(/\n {13}no policy\n {13}known: no policy$/);
});

it('counts the runs', () => {
  expect(formatRunCounts([works])).toBe('1 of 1 case works');
  expect(formatRunCounts([fails])).toBe('0 of 1 case works, 1 does not');
  expect(formatRunCounts([fails, fails])).toBe('0 of 2 cases work, 2 do not');
  expect(formatRunCounts([works, works, fails])).toBe('2 of 3 cases work, 1 does not');
  expect(formatRunCounts([works, fails, listed])).toBe('1 of 3 cases works, 1 does not, 1 differs as listed');
});

it('formats runs for CI: what the program lacks is skipped', () => {
  expect(formatRunsAsJunit([works, fails, listed]).split('\n')).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuite name="gRPC xDS interop tests" tests="3" failures="1" skipped="1">',
    '  <testcase classname="grpc-go-1.85.0" name="ping_pong" time="1.234"></testcase>',
    '  <testcase classname="grpc-go-1.85.0" name="affinity" time="1.234"><failure message="fails: expected &quot;a1&quot; &amp; got \ufffd&lt;b1&gt;"/></testcase>',
    '  <testcase classname="grpc-go-1.85.0" name="custom_lb" time="1.234"><skipped message="unable: no policy (known: no policy)"/></testcase>',
    '</testsuite>',
    '',
  ]);
});
