import { escapeXml, printable } from '../format/xml';
import { type CheckResult, type CheckVerdict, countVerdicts } from './server-check';

const words: Readonly<Record<Exclude<CheckVerdict, 'not-asked'>, string>> = {
  passes: 'passes',
  fails: 'FAILS',
  'non-strict': 'non-strict',
  informational: 'other',
};

/** "passes     D7   A name that is subscribed again is sent again". undefined: the check did not run. */
export function formatResult({ id, title, verdict, expected, seen }: CheckResult): string | undefined {
  if (verdict === 'not-asked') return undefined;
  const line = `${words[verdict].padEnd(10)} ${id.padEnd(4)} ${title}`;
  if (verdict === 'passes') return line;
  return `${line}\n${' '.repeat(16)}expected: ${expected}\n${' '.repeat(16)}seen: ${printable(seen)}`;
}

/** "not asked  S4, S6: the check changes the config of the server", a line for each reason. */
export function formatNotAsked(results: readonly CheckResult[]): string[] {
  const idsByReason = new Map<string, string[]>();
  for (const { verdict, id, seen } of results) {
    if (verdict === 'not-asked') idsByReason.set(seen, [...(idsByReason.get(seen) ?? []), id]);
  }
  return [...idsByReason].map(([reason, ids]) => `not asked  ${ids.join(', ')}: ${printable(reason)}`);
}

/** "33 of 40 checks pass, 4 fail, 2 are non-strict, 1 is not asked". */
export function formatCounts(results: readonly Pick<CheckResult, 'verdict'>[]): string {
  const {
    passes,
    fails,
    'non-strict': nonStrict,
    informational,
    'not-asked': notAsked,
  } = countVerdicts(results);
  const is = (count: number) => `${count} ${count === 1 ? 'is' : 'are'}`;
  return [
    `${passes} of ${results.length} checks pass`,
    ...(fails > 0 ? [`${fails} ${fails === 1 ? 'fails' : 'fail'}`] : []),
    ...(nonStrict > 0 ? [`${is(nonStrict)} non-strict`] : []),
    ...(informational > 0 ? [`${is(informational)} informational`] : []),
    ...(notAsked > 0 ? [`${is(notAsked)} not asked`] : []),
  ].join(', ');
}

/** A test suite in the JUnit format. Only what fails is a failure; what was not asked is skipped. */
export function formatJunit(target: string, results: readonly CheckResult[]): string {
  const { fails, 'not-asked': notAsked } = countVerdicts(results);
  const cases = results.map(({ id, title, verdict, expected, seen, tookMs }) => {
    const head = `  <testcase classname="xds" name="${escapeXml(`${id} ${title}`)}" time="${tookMs / 1_000}">`;
    const text = escapeXml(`expected: ${expected} seen: ${seen}`);
    if (verdict === 'fails') return `${head}<failure message="${text}"/></testcase>`;
    if (verdict === 'not-asked') return `${head}<skipped message="${escapeXml(seen)}"/></testcase>`;
    return `${head}<system-out>${escapeXml(`${verdict}: ${seen}`)}</system-out></testcase>`;
  });
  const counts = `tests="${results.length}" failures="${fails}" skipped="${notAsked}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${escapeXml(`xDS server checks of ${target}`)}" ${counts}>`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n');
}
