import { CDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { PlannedReport } from '../../codec/dump-parser/report-plan';
import type { ReportedResource } from '../../codec/resource-message';
import { spanOf } from '../../codec/wire-cursor';
import { peekRouteNames } from '../../envoy-admin/peek-names';
import type { Body } from '../../observe';

const mostNames = 10_000;

/**
 * The route configurations that the listeners of a config dump request while its section of route configurations is empty: Envoy
 * leaves those out of which it has accepted none. A part of a dump shows nothing of the kind: it lacks the bootstrap, or its section
 * of clusters is empty, too, as with `name_regex`. MUTABLE.
 */
export class AwaitedRoutes {
  readonly #isEmpty: boolean;
  readonly #names = new Set<string>();
  #isWhole = false;

  constructor({ emptySections }: Pick<PlannedReport, 'emptySections'>) {
    this.#isEmpty = emptySections.has(RDS.typeUrl) && !emptySections.has(CDS.typeUrl);
  }

  add(bodies: readonly Body[]): void {
    if (!this.#isEmpty) return;
    for (const { typeUrl, bytes } of bodies) {
      this.#isWhole ||= typeUrl.endsWith('.Bootstrap');
      if (typeUrl !== LDS.typeUrl) continue;
      for (const name of peekRouteNames(spanOf(bytes)))
        if (this.#names.size < mostNames) this.#names.add(name);
    }
  }

  rows(): ReportedResource[] {
    if (!this.#isWhole) return [];
    return [...this.#names].map((name) => ({
      ...{ typeUrl: RDS.typeUrl, name, versionInfo: '', clientStatus: 'REQUESTED', configStatus: 'UNKNOWN' },
      ...{ lastUpdated: null, errorState: null, hash: null, sizeBytes: null, isStatic: false },
    }));
  }
}
