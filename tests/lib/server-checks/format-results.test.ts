import { describe, expect, it } from 'vitest';
import { formatCounts, formatJunit, formatNotAsked, formatResult } from '@/lib/server-checks/format-results';
import { type CheckLevel, type CheckResult, verdictOf } from '@/lib/server-checks/server-check';

function resultOf(level: CheckLevel, isMet: boolean | undefined, seen = 'no response'): CheckResult {
  return {
    ...{ id: 'D7', title: 'A name is sent again', level, expected: 'It is sent.' },
    source: { section: 'Nonce', sentence: 'All responses have one.', url: 'https://example.com' },
    ...{ verdict: verdictOf(level, isMet), seen, messages: [], tookMs: 1_500 },
  };
}

const results = [
  resultOf('must', true),
  resultOf('must', false, 'it sent <a> & \u001b[31m'),
  resultOf('should', false),
  resultOf('informational', false),
  resultOf('must', undefined, 'the config changed'),
];

describe('formatResult', () => {
  it('states what was expected and seen of a rule that is missed', () => {
    expect(formatResult(resultOf('must', true))).toBe('passes     D7   A name is sent again');
    expect(formatResult(resultOf('should', false))).toMatch(
      /^non-strict D7 .*\n +expected: It is sent\.\n +seen: no response$/,
    );
  });

  it('prints no control character that a server has sent', () => {
    expect(formatResult(results[1] ?? resultOf('must', false))).not.toContain('\u001b');
  });
});

describe('formatNotAsked', () => {
  it('lists checks that did not run by their reason', () => {
    const other = { ...resultOf('must', undefined, 'the config changed'), id: 'S1' };
    expect(formatNotAsked([...results, other])).toEqual(['not asked  D7, S1: the config changed']);
    expect(formatResult(other)).toBeUndefined();
  });
});

describe('formatCounts', () => {
  it('counts each verdict that there is', () => {
    expect(formatCounts(results)).toBe(
      '1 of 5 checks pass, 1 fails, 1 is non-strict, 1 is informational, 1 is not asked',
    );
    expect(formatCounts([resultOf('must', true)])).toBe('1 of 1 checks pass');
  });
});

describe('formatJunit', () => {
  it('is XML in which only a broken rule of the level must is a failure', () => {
    const xml = formatJunit('127.0.0.1:1', results);
    expect(xml).toContain('tests="5" failures="1" skipped="1"');
    expect(xml).toContain('it sent &lt;a&gt; &amp; ');
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect(xml.match(/<skipped /g)).toHaveLength(1);
  });
});
