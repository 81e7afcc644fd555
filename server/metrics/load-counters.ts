import { addCounts, type Count, parseCount } from '@/lib/load/count';
import type { ClusterLoad, LocalityLoad, Observation } from '@/lib/observation/observation';
import type { MetricFamily, MetricSample } from './exposition';

interface Line {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: Count[];
}

/** Of each metric's lines, by their labels. */
const mostLines = 20_000;

/**
 * Load since the start of this process, without clients: what a scrape tells is as large as there are clusters and
 * localities, not as the fleet. Each source for itself: one report may be seen by a tap and by our receiver.
 */
export class LoadCounters {
  readonly #clusters = new Map<string, Line>();
  readonly #drops = new Map<string, Line>();
  readonly #localities = new Map<string, Line>();
  #leftOut = 0;

  observe(observation: Observation): void {
    if (observation.kind !== 'load-reported') return;
    for (const cluster of observation.clusters) this.#take(observation.sourceId, cluster);
  }

  #take(source: string, { clusterName: cluster, totalDropped, dropped, localities }: ClusterLoad): void {
    const scope = `${source}\u0000${cluster}`;
    this.#add(this.#clusters, scope, () => ({ source, cluster }), [1, parseCount(totalDropped)]);
    for (const { category, count } of dropped) {
      const key = `${scope}\u0000${category}`;
      this.#add(this.#drops, key, () => ({ source, cluster, category }), [parseCount(count)]);
    }
    for (const load of localities) {
      const { region, zone, subZone } = load.locality;
      const key = `${scope}\u0000${load.priority}\u0000${region}\u0000${zone}\u0000${subZone}`;
      this.#add(this.#localities, key, () => labelsOf(source, cluster, load), [
        parseCount(load.successful),
        parseCount(load.errors),
        parseCount(load.issued ?? '0'),
      ]);
    }
  }

  #add(
    lines: Map<string, Line>,
    key: string,
    labelsOf: () => Line['labels'],
    counts: readonly Count[],
  ): void {
    let line = lines.get(key);
    if (line === undefined) {
      if (lines.size >= mostLines) {
        this.#leftOut += 1;
        return;
      }
      line = { labels: labelsOf(), counts: counts.map(() => 0) };
      lines.set(key, line);
    }
    for (const [index, count] of counts.entries()) {
      line.counts[index] = addCounts(line.counts[index] ?? 0, count);
    }
  }

  families(): MetricFamily[] {
    const [clusters, drops, localities] = [this.#clusters, this.#drops, this.#localities];
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
  lines: ReadonlyMap<string, Line>,
  index: number,
  more: Readonly<Record<string, string>> = {},
): MetricSample[] {
  return [...lines.values()].map(({ labels, counts }) => {
    return { labels: { ...labels, ...more }, value: counts[index] ?? 0 };
  });
}

function counter(name: string, help: string, samples: readonly MetricSample[]): MetricFamily {
  return { name: `xdscope_${name}_total`, type: 'counter', help, samples };
}
