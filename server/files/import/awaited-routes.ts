import { CDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { ReportBatch } from '../../codec/dump-parser/read-report';
import type { PlannedReport } from '../../codec/dump-parser/report-plan';
import type { ReportedResource } from '../../codec/resource-message';
import { spanOf } from '../../codec/wire-cursor';
import { peekRouteNames, peekStaticNames } from '../../envoy-admin/peek-names';

const mostNames = 10_000;

/**
 * The route configurations that the listeners of a config dump request while its section of route configurations is empty: Envoy
 * leaves those out of which it has accepted none. A part of a dump shows nothing of the kind. Envoy filters each section by the names in
 * it (`name_regex`), and keeps the bootstrap: only a dump with all listeners and clusters of its bootstrap counts as whole. MUTABLE.
 */
export class AwaitedRoutes {
  readonly #isEmpty: boolean;
  readonly #names = new Set<string>();
  /** The static resources of the sections, by typeUrl and name. */
  readonly #reported = new Set<string>();
  readonly #ofBootstrap = new Set<string>();

  constructor({ emptySections }: Pick<PlannedReport, 'emptySections'>) {
    this.#isEmpty = emptySections.has(RDS.typeUrl);
  }

  add({ rows, bodies }: Pick<ReportBatch, 'rows' | 'bodies'>): void {
    if (!this.#isEmpty) return;
    // A static resource has a stage in its section, and none in the bootstrap.
    for (const { typeUrl, name, isStatic, stage } of rows)
      if (isStatic && stage !== undefined) this.#reported.add(`${typeUrl} ${name}`);
    for (const { typeUrl, bytes } of bodies) {
      if (typeUrl.endsWith('.Bootstrap')) this.#readBootstrap(bytes);
      if (typeUrl !== LDS.typeUrl) continue;
      for (const name of peekRouteNames(spanOf(bytes)))
        if (this.#names.size < mostNames) this.#names.add(name);
    }
  }

  #readBootstrap(bytes: Uint8Array): void {
    const { listeners, clusters } = peekStaticNames(spanOf(bytes));
    for (const name of listeners) this.#ofBootstrap.add(`${LDS.typeUrl} ${name}`);
    for (const name of clusters) this.#ofBootstrap.add(`${CDS.typeUrl} ${name}`);
  }

  rows(): ReportedResource[] {
    const isWhole =
      this.#ofBootstrap.size > 0 && [...this.#ofBootstrap].every((each) => this.#reported.has(each));
    if (!isWhole) return [];
    return [...this.#names].map((name) => ({
      ...{ typeUrl: RDS.typeUrl, name, versionInfo: '', clientStatus: 'REQUESTED', configStatus: 'UNKNOWN' },
      ...{ lastUpdated: null, errorState: null, hash: null, sizeBytes: null, isStatic: false },
    }));
  }
}
