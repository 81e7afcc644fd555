import type { InteropStep } from './run-schema';

type Described = Pick<
  InteropStep,
  'case' | 'step' | 'of' | 'title' | 'expected' | 'seen' | 'preceded' | 'outcome' | 'verdict'
>;

/** As in "gentle_failover 2/6: Only the primary locality receives RPCs; seen 40 RPCs: 20 by a1, 20 by a2, 0 failed". */
export function describeStep(step: Described): string {
  const { case: name, step: number, of, title, expected, seen, preceded, outcome, verdict } = step;
  const after = preceded === undefined ? '' : `, preceded by ${preceded}`;
  const result = outcome === 'holds' ? `seen ${seen}` : `expected ${expected}, seen ${seen}${after}`;
  const end = verdict === undefined ? '' : `; ${outcomes[verdict.verdict]}`;
  return `${name} ${number}/${of}: ${title}; ${result}${end}`;
}

const outcomes: Readonly<Record<NonNullable<InteropStep['verdict']>['verdict'], string>> = {
  works: 'the case works',
  'by-flag': 'the case works by flag',
  fails: 'the case fails',
  rejects: 'the client rejects the case',
  ignored: 'the client ignores the case',
  unable: 'the client is unable to run the case',
  inconclusive: 'the case is inconclusive',
  flaky: 'the case is flaky',
  'not-run': 'the case was not run',
};
