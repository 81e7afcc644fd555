import { addCounts, type Count, parseCount } from '@/lib/load/count';
import { type LoadPart, loadPartKey } from '@/lib/load/load-series';
import type { ClusterLoad, LocalityLoad, Observation } from '@/lib/observation/observation';
import { type MetricFamily, type MetricSample, maxLinesPerMetric } from './exposition';

interface Line {
  readonly labels: Readonly<Record<string, string>>;
  /** Absent: 0. */
  readonly counts: Count[];
}

type LineKind = 'clusters' | 'drops' | 'localities';

type SourceLines = Readonly<Record<LineKind, Map<string, Line>>>;

function newSourceLines(): SourceLines {
  return { clusters: new Map(), drops: new Map(), localities: new Map() };
}

function add(line: Line, index: number, count: Count): void {
  line.counts[index] = addCounts(line.counts[index] ?? 0, count);
}

/**
 * The limit of lines of each kind over all sources. It is larger than what a scrape shows, so that dropped lines are
 * counted up to here.
 */
const mostLines = 20_000;

/**
 * Load since the start of this process, without clients: the size of a scrape depends on the number of clusters and
 * localities and not of clients. Each source is counted separately, because a tap and the LRS receiver may observe the
 * same report.
 */
export class LoadCounters {
  /** The lines of each source by the names in its reports. */
  readonly #sources = new Map<string, SourceLines>();
  readonly #lines: Record<LineKind, number> = { clusters: 0, drops: 0, localities: 0 };
  #leftOut = 0;

  observe(observation: Observation): void {
    if (observation.kind !== 'load-reported') return;
    const { sourceId, clusters } = observation;
    const lines = this.#sources.get(sourceId) ?? newSourceLines();
    this.#sources.set(sourceId, lines);
    for (const cluster of clusters) this.#take(sourceId, lines, cluster);
  }

  /** Removes the counters, as when a process ends. */
  removeSource(sourceId: string): void {
    const source = this.#sources.get(sourceId);
    this.#sources.delete(sourceId);
    for (const kind of ['clusters', 'drops', 'localities'] as const)
      this.#lines[kind] -= source?.[kind].size ?? 0;
  }

  #take(
    source: string,
    lines: SourceLines,
    { clusterName: cluster, totalDropped, dropped, localities }: ClusterLoad,
  ): void {
    const lineOf = (kind: LineKind, part: LoadPart, labels: () => Line['labels']): Line | undefined =>
      this.#lineOf(kind, lines[kind], `${cluster}\u0000${loadPartKey(part)}`, labels);
    const line = lineOf('clusters', { kind: 'cluster' }, () => ({ source, cluster }));
    if (line === undefined) {
      this.#leftOut += dropped.length + localities.length;
      return;
    }
    add(line, 0, 1);
    add(line, 1, parseCount(totalDropped));
    for (const { category, count } of dropped) {
      const drops = lineOf('drops', { kind: 'drop', category }, () => ({ source, cluster, category }));
      if (drops !== undefined) add(drops, 0, parseCount(count));
    }
    for (const load of localities) {
      const { locality, priority } = load;
      const requests = lineOf('localities', { kind: 'locality', locality, priority }, () =>
        labelsOf(source, cluster, load),
      );
      if (requests === undefined) continue;
      add(requests, 0, parseCount(load.successful));
      add(requests, 1, parseCount(load.errors));
      add(requests, 2, parseCount(load.issued ?? '0'));
    }
  }

  /** Returns undefined if the limit of its kind is reached. */
  #lineOf(
    kind: LineKind,
    lines: Map<string, Line>,
    key: string,
    labels: () => Line['labels'],
  ): Line | undefined {
    const known = lines.get(key);
    if (known !== undefined) return known;
    if (this.#lines[kind] >= mostLines) {
      this.#leftOut += 1;
      return undefined;
    }
    const line = { labels: labels(), counts: [] };
    lines.set(key, line);
    this.#lines[kind] += 1;
    return line;
  }

  /** The first lines of a kind in order of arrival, so that each scrape has the same ones. */
  #first(kind: LineKind, limit: number): Line[] {
    const first: Line[] = [];
    for (const lines of this.#sources.values()) {
      for (const line of lines[kind].values()) {
        if (first.length === limit) return first;
        first.push(line);
      }
    }
    return first;
  }

  families(): MetricFamily[] {
    const of = (
      kind: LineKind,
      name: string,
      help: string,
      ...samples: readonly { readonly index: number; readonly labels?: Line['labels'] }[]
    ): MetricFamily => {
      const lines = this.#first(kind, Math.floor(maxLinesPerMetric / samples.length));
      return {
        ...counter(
          name,
          help,
          samples.flatMap(({ index, labels }) => samplesOf(lines, index, labels)),
        ),
        dropped: (this.#lines[kind] - lines.length) * samples.length,
      };
    };
    return [
      of('clusters', 'load_reports', 'Load reports on a cluster.', { index: 0 }),
      of('clusters', 'load_dropped_requests', 'Requests that clients dropped, with no category too.', {
        index: 1,
      }),
      of('drops', 'load_category_dropped_requests', 'The same by drop category.', { index: 0 }),
      of(
        'localities',
        'load_requests',
        'Requests that ended.',
        { index: 0, labels: { result: 'success' } },
        { index: 1, labels: { result: 'error' } },
      ),
      of('localities', 'load_issued_requests', 'Requests that began, of clients that report it.', {
        index: 2,
      }),
      counter('load_lines_left_out', `Lines of reports beyond the ${mostLines} of a kind that are counted.`, [
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
