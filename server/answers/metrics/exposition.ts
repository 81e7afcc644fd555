import type { Steps } from '@/lib/cooperative/steps';

/** One metric family of Prometheus. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  /** The order is the same in every scrape, because only the first maxLinesPerMetric samples are written. */
  readonly samples: readonly MetricSample[];
  /** Known samples that are not listed. */
  readonly dropped?: number;
}

export interface MetricSample {
  readonly labels?: Readonly<Record<string, string>>;
  /** A bigint is written with all of its digits. */
  readonly value: number | bigint;
}

/** Label values come from clients, so that their number is limited. */
export const maxLinesPerMetric = 2_000;
const linesPerStep = 64;

/**
 * The Prometheus text format 0.0.4: HELP, TYPE, and a line for each sample up to maxLinesPerMetric. The last metric
 * counts the dropped lines of each other one.
 */
export function* formatExposition(families: readonly MetricFamily[]): Steps<string> {
  const parts: string[] = [];
  const dropped: MetricSample[] = [];
  for (const family of families) {
    const { name, samples } = family;
    const beyond = Math.max(0, samples.length - maxLinesPerMetric) + (family.dropped ?? 0);
    if (beyond > 0) dropped.push({ labels: { metric: name }, value: beyond });
    yield* formatFamily(family, parts);
  }
  yield* formatFamily(
    {
      ...{ name: 'xdscope_metrics_dropped_lines', type: 'gauge', samples: dropped },
      help: `Lines of a metric that are left out here, as there are more than ${maxLinesPerMetric}.`,
    },
    parts,
  );
  return parts.join('');
}

function* formatFamily({ name, type, help, samples }: MetricFamily, parts: string[]): Steps<void> {
  if (samples.length === 0) return;
  parts.push(`# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`);
  for (const [index, { labels = {}, value }] of samples.slice(0, maxLinesPerMetric).entries()) {
    parts.push(`${name}${formatLabels(labels)} ${formatValue(value)}\n`);
    if (index % linesPerStep === linesPerStep - 1) yield;
  }
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function formatValue(value: number | bigint): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
