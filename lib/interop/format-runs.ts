import { formatCounted } from '../format/count';
import { escapeXml, printable } from '../format/xml';
import type { InteropRun } from './run-schema';

/** "works        gentle_failover  2.2s"; a run that does not work has its reason in the next line. */
export function formatRun({ case: name, verdict, reason, seconds, known }: InteropRun): string {
  const line = `${(verdict ?? 'not-run').padEnd(12)} ${name}  ${(seconds ?? 0).toFixed(1)}s`;
  if (verdict === 'works') return line;
  const indent = ' '.repeat(13);
  const listed = known === undefined ? [] : [`${indent}known: ${known}`];
  return [line, `${indent}${printable(reason)}`, ...listed].join('\n');
}

/** "18 of 20 cases work, 2 differ as listed". */
export function formatRunCounts(runs: readonly InteropRun[]): string {
  const working = runs.filter(({ verdict }) => verdict === 'works').length;
  const flagged = runs.filter(({ verdict }) => verdict === 'by-flag').length;
  const others = runs.filter(({ verdict }) => verdict !== 'works' && verdict !== 'by-flag');
  const listed = others.filter(({ known }) => known !== undefined).length;
  const unlisted = others.length - listed;
  return [
    `${working} of ${formatCounted(runs.length, 'case')} ${working === 1 || runs.length === 1 ? 'works' : 'work'}`,
    ...(flagged > 0 ? [`${flagged} by flag`] : []),
    ...(unlisted > 0 ? [`${unlisted} ${unlisted === 1 ? 'does' : 'do'} not`] : []),
    ...(listed > 0 ? [`${listed} ${listed === 1 ? 'differs' : 'differ'} as listed`] : []),
  ].join(', ');
}

/** A test suite in the JUnit format. What proves nothing, or the program lacks, is skipped. */
export function formatRunsAsJunit(runs: readonly InteropRun[]): string {
  const skipped = new Set<InteropRun['verdict']>(['unable', 'inconclusive', 'not-run']);
  const cases = runs.map(({ case: name, verdict, reason, seconds = 0, client, known }) => {
    const id = escapeXml(`${client.name}-${client.version}`);
    const head = `  <testcase classname="${id}" name="${escapeXml(name)}" time="${seconds}">`;
    const text = escapeXml(`${verdict}: ${reason}${known === undefined ? '' : ` (known: ${known})`}`);
    if (verdict === 'works') return `${head}</testcase>`;
    if (verdict === 'by-flag') return `${head}<system-out>${text}</system-out></testcase>`;
    if (skipped.has(verdict)) return `${head}<skipped message="${text}"/></testcase>`;
    return `${head}<failure message="${text}"/></testcase>`;
  });
  const passed = new Set<InteropRun['verdict']>(['works', 'by-flag']);
  const failures = runs.filter(({ verdict }) => !passed.has(verdict) && !skipped.has(verdict)).length;
  const skips = runs.filter(({ verdict }) => skipped.has(verdict)).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="gRPC xDS interop tests" tests="${runs.length}" failures="${failures}" skipped="${skips}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n');
}
