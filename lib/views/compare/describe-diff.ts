import type { DiffItemKind } from '../../diff/diff-item-kind';
import type { DiffLine } from '../../diff/diff-lines';
import { formatCount, formatCounted } from '../../format/count';

interface ReportedItem {
  readonly kind: DiffItemKind;
  readonly service: string;
  readonly name: string;
  readonly changes: number;
  readonly lines: readonly DiffLine[];
}

type DiffCounts = Readonly<Record<DiffItemKind | 'equal', number>>;

const differences: readonly (readonly [DiffItemKind, string])[] = [
  ['changed', 'changed'],
  ['added', 'only in B'],
  ['removed', 'only in A'],
  ['unread', 'with a payload that is no longer stored'],
  ['status', 'with different statuses'],
];

/** Describes a comparison: differences, resources that differ in form only, and the line of a single difference. */
export function describeDiff(counts: DiffCounts, items: readonly ReportedItem[]): string[] {
  const differing = differences.reduce((sum, [kind]) => sum + counts[kind], 0);
  const alike = counts.order + counts.notation + counts.version + counts.equal;
  const all = differing + alike;
  const sentences: string[] = [];
  if (all === 0) return ['Neither side holds any resource.'];
  if (differing === 0) sentences.push(`Nothing differs: ${same(all)}.`);
  else {
    const parts = differences.flatMap(([kind, text]) =>
      counts[kind] === 0 ? [] : [`${formatCount(counts[kind])} ${text}`],
    );
    sentences.push(
      `${formatCount(differing)} of ${formatCounted(all, 'resource')} ${differing === 1 ? 'differs' : 'differ'}: ${parts.join(', ')}.`,
    );
  }
  const [only] = items;
  if (differing === 1 && only?.kind === 'changed') sentences.push(describeOne(only));
  if (counts.order > 0) sentences.push(`${same(counts.order)} except for the order of sets.`);
  if (counts.notation > 0) sentences.push(`${same(counts.notation)} except for their notation.`);
  return sentences;
}

function same(count: number): string {
  return `${formatCounted(count, 'resource')} ${count === 1 ? 'is' : 'are'} the same`;
}

function describeOne({ service, name, changes, lines: [line] }: ReportedItem): string {
  const what = `${service} ${name}`;
  if (line === undefined || changes !== 1) return `${what} differs in ${formatCounted(changes, 'place')}.`;
  return `${what}: ${describeLine(line, 'sides')}.`;
}

/** "route.weightedClusters.clusters[v1].weight 80 → 60". */
export function describeLine(line: DiffLine, between: 'times' | 'sides'): string {
  return `${line.path} ${describeValues(line, between)}`;
}

/** Describes a line like describeLine, without the path: "80 → 60", and "added: 80" or "only in B: 80". */
export function describeValues(
  { kind, before, after }: Omit<DiffLine, 'path'>,
  between: 'times' | 'sides',
): string {
  const areTimes = between === 'times';
  if (kind === 'added') return `${areTimes ? 'added' : 'only in B'}: ${after}`;
  if (kind === 'removed') return `${areTimes ? 'removed' : 'only in A'}: ${before}`;
  if (kind === 'order') return 'in a different order';
  return `${before} → ${after}`;
}
