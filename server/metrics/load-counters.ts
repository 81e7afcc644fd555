import { addCounts, type Count, parseCount } from '@/lib/load/count';
import { RowNames } from '@/lib/load/row-names';
import type { ClusterLoad, LocalityLoad, Observation } from '@/lib/observation/observation';
import type { MetricFamily, MetricSample } from './exposition';

interface Line {
  readonly labels: Readonly<Record<string, string>>;
  counts: Count[];
}

type LineKind = 'clusters' | 'drops' | 'localities';

interface SourceLines extends Readonly<Record<LineKind, Map<number, Line>>> {
  readonly names: RowNames;
}

function newSourceLines(): SourceLines {
  return { names: new RowNames(), clusters: new Map(), drops: new Map(), localities: new Map() };
}

function add(line: Line | undefined, index: number, count: Count): void {
  if (line !== undefined) line.counts[index] = addCounts(line.counts[index] ?? 0, count);
}

/** Of each metric's lines, by their labels. */
const mostLines = 20_000;

/**
 * Load since the start of this process, without clients: what a scrape tells is as large as there are clusters and
 * localities, not as the fleet. Each source for itself: one report may be seen by a tap and by our receiver.
 */
export class LoadCounters {
  /** By source: numbers for what its reports name, and lines by those. */
  readonly #sources = new Map<string, SourceLines>();
  #leftOut = 0;

  observe(observation: Observation): void {
    if (observation.kind !== 'load-reported') return;
    const { sourceId, clusters } = observation;
    const lines = this.#sources.get(sourceId) ?? newSourceLines();
    this.#sources.set(sourceId, lines);
    for (const cluster of clusters) this.#take(sourceId, lines, cluster);
  }

  #take(
    source: string,
    lines: SourceLines,
    { clusterName: cluster, totalDropped, dropped, localities }: ClusterLoad,
  ): void {
    const number = lines.names.clusterOf(cluster, '');
    const line = this.#lineOf(lines.clusters, 'clusters', number, () => ({ source, cluster }), 2);
    add(line, 0, 1);
    add(line, 1, parseCount(totalDropped));
    for (const { category, count } of dropped) {
      const row = lines.names.categoryOf(number, category);
      const drops = this.#lineOf(lines.drops, 'drops', row, () => ({ source, cluster, category }), 1);
      add(drops, 0, parseCount(count));
    }
    for (const load of localities) {
      const row = lines.names.localityOf(number, load.locality, load.priority);
      const requests = this.#lineOf(
        lines.localities,
        'localities',
        row,
        () => labelsOf(source, cluster, load),
        3,
      );
      add(requests, 0, parseCount(load.successful));
      add(requests, 1, parseCount(load.errors));
      if (load.issued !== null) add(requests, 2, parseCount(load.issued));
    }
  }

  /** undefined: there are too many of its metric. */
  #lineOf(
    lines: Map<number, Line>,
    kind: LineKind,
    row: number,
    labels: () => Line['labels'],
    counts: number,
  ): Line | undefined {
    const known = lines.get(row);
    if (known !== undefined) return known;
    if (this.#count(kind) >= mostLines) {
      this.#leftOut += 1;
      return undefined;
    }
    const line = { labels: labels(), counts: Array.from({ length: counts }, () => 0) };
    lines.set(row, line);
    return line;
  }

  #count(kind: LineKind): number {
    let count = 0;
    for (const lines of this.#sources.values()) count += lines[kind].size;
    return count;
  }

  #all(kind: LineKind): Line[] {
    return [...this.#sources.values()].flatMap((lines) => [...lines[kind].values()]);
  }

  families(): MetricFamily[] {
    const [clusters, drops, localities] = [
      this.#all('clusters'),
      this.#all('drops'),
      this.#all('localities'),
    ];
    return [
      counter('load_reports', 'Load reports on a cluster.', samplesOf(clusters, 0)),
      counter(
        'load_dropped_requests',
        'Requests that clients dropped on purpose, with no category too.',
        samplesOf(clusters, 1),
      ),
      counter('load_category_dropped_requests', 'The same by drop category.', samplesOf(drops, 0)),
      counter('load_requests', 'Requests that ended.', [
        ...samplesOf(localities, 0, { result: 'success' }),
        ...samplesOf(localities, 1, { result: 'error' }),
      ]),
      counter('load_issued_requests', 'Requests that began, of clients that tell.', samplesOf(localities, 2)),
      counter('load_lines_left_out', 'Lines of reports with more labels than are kept.', [
        { value: this.#leftOut },
      ]),
    ];
  }
}

function labelsOf(source: string, cluster: string, { locality, priority }: LocalityLoad): Line['labels'] {
  const { region, zone, subZone } = locality;
  return { source, cluster, region, zone, sub_zone: subZone, priority: String(priority) };
}

function samplesOf(
  lines: readonly Line[],
  index: number,
  more: Readonly<Record<string, string>> = {},
): MetricSample[] {
  return lines.map(({ labels, counts }) => {
    return { labels: { ...labels, ...more }, value: counts[index] ?? 0 };
  });
}

function counter(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name: `xdscope_${name}_total`, type: 'counter', help, samples };
}
