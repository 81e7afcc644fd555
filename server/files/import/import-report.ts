import type { ClientConfigChanged, Side } from '@/lib/observation/observation';
import type { ReportedResource } from '../../codec/codec';
import { sideOf } from '../../collect/poll-diff/compare-answers';
import { connectionParts } from '../../collect/poll-diff/connection-parts';
import type { Body, Observe } from '../../observe';
import { unpackBodies } from '../../packed-bodies';
import type { FileMessage, FileReport } from './file-messages';
import type { ImportNames } from './import-names';

export interface ImportReportOptions {
  readonly names: ImportNames;
  readonly observe: Observe;
  /** Shows a client before its observations are logged. */
  readonly preview: (observation: ClientConfigChanged) => void;
  /** Time of the import, which is used if the file has no time. */
  readonly now: number;
}

/** The result of an import of a file that is not a recording. */
interface ImportedReport {
  readonly what: string;
  readonly at: number;
  /** Nothing states the time of the file: `at` is that of the import. */
  readonly isUndated: boolean;
  readonly observations: number;
  readonly bodies: number;
  readonly resources: number;
  /** Local client ids. */
  readonly clientIds: ReadonlySet<string>;
}

/** Emits the clients of a file as of the newest time in the file. */
export class ReportImporter {
  readonly #options: ImportReportOptions;

  #reports: readonly FileReport[] = [];
  readonly #sides = new Map<number, Side>();
  readonly #clientIds = new Set<string>();
  /** The names in the document of the clients that have one node id and scope. */
  readonly #labels = new Map<string, Set<string>>();
  readonly #declared = new Set<string>();
  #what = '';
  #at = 0;
  #isUndated = false;
  #previewedId: string | undefined;
  #counts = { observations: 0, bodies: 0, resources: 0 };

  constructor(options: ImportReportOptions) {
    this.#options = options;
  }

  begin({ what, at, reports }: Extract<FileMessage, { kind: 'begin' }>): void {
    this.#what = what;
    this.#at = at ?? this.#options.now;
    this.#isUndated = at === null;
    this.#reports = reports;
    for (const { node, scope, side, label } of reports) {
      if (node.id === '' || side === 'control-plane') continue;
      const key = `${node.id}\u0000${scope}`;
      this.#labels.set(key, (this.#labels.get(key) ?? new Set()).add(label));
    }
  }

  #isShared(id: string, scope: string): boolean {
    return (this.#labels.get(`${id}\u0000${scope}`)?.size ?? 0) > 1;
  }

  /** The resources are in a batch again, are counted then, and have the time of the whole file then. */
  preview({ at, report, rows, bodies }: Extract<FileMessage, { kind: 'preview' }>): void {
    const side = report.side === 'auto' ? 'client' : report.side;
    // The log has the bodies of the preview with the declaration of their source.
    this.#declare(side, at, unpackBodies(bodies));
    const observation = this.#observationOf(report, side, at, rows);
    this.#previewedId = observation.clientId;
    this.#options.preview(observation);
  }

  batch({ report: index, rows, bodies }: Extract<FileMessage, { kind: 'batch' }>): void {
    const report = this.#reports[index];
    if (report === undefined) return;
    const side =
      this.#sides.get(index) ?? (report.side === 'auto' ? (sideOf(rows) ?? 'client') : report.side);
    this.#sides.set(index, side);
    this.#declare(side, this.#at, []);
    const observation = this.#observationOf(report, side, this.#at, rows);
    this.#options.observe({ observation, bodies: unpackBodies(bodies), hasMore: true });
    this.#clientIds.add(observation.clientId);
    this.#counts.observations += 1;
    this.#counts.bodies += bodies.entries.length;
    this.#counts.resources += rows.length;
  }

  /** Emits the sockets and hosts of a client. */
  connections({ report: index, connections }: Extract<FileMessage, { kind: 'connections' }>): void {
    const report = this.#reports[index];
    if (report === undefined) return;
    this.#declare('client', this.#at, []);
    const base = this.#identityOf(report, 'client', this.#at);
    const all = { connections, endedIds: [], isComplete: true } as const;
    for (const observation of connectionParts(base, all)) {
      this.#options.observe({ observation, bodies: [] });
      this.#counts.observations += 1;
    }
    this.#clientIds.add(base.clientId);
  }

  #declare(side: Side, at: number, bodies: readonly Body[]): void {
    const sourceId = sourceOf(side);
    if (this.#declared.has(sourceId)) return;
    this.#declared.add(sourceId);
    const { names, observe } = this.#options;
    observe({ observation: names.declare(at, sourceId, { kind: 'file', target: sourceId }), bodies });
  }

  #observationOf(
    report: FileReport,
    side: Side,
    at: number,
    rows: readonly ReportedResource[],
  ): ClientConfigChanged {
    return {
      kind: 'client-config-changed',
      side,
      ...this.#identityOf(report, side, at),
      changed: rows.map((row) => ({ ...row, changedAt: at })),
      removed: [],
    };
  }

  #identityOf({ node, label, scope }: FileReport, side: Side, at: number) {
    const { names } = this.#options;
    const id = node.id || label || names.label;
    // Two clients of a file may have one node id: then the file names them.
    const own =
      this.#isShared(id, scope) && id !== label && label !== '' ? `${scope} ${label}`.trim() : scope;
    return {
      at,
      vantage: 'dump' as const,
      sourceId: names.sourceOf(sourceOf(side)),
      clientId: names.clientId(`${id}\u0000${own}`),
      node: { ...node, id },
      scope: names.scope(own),
    };
  }

  /** Clients that were emitted so far, including that of the preview. */
  get reportedIds(): ReadonlySet<string> {
    return this.#previewedId === undefined
      ? this.#clientIds
      : new Set([this.#previewedId, ...this.#clientIds]);
  }

  result(): ImportedReport {
    return {
      what: this.#what,
      at: this.#at,
      isUndated: this.#isUndated,
      clientIds: this.#clientIds,
      ...this.#counts,
    };
  }
}

/** A client's own report and what a control plane sent to it have different sources. */
function sourceOf(side: Side): string {
  return side === 'client' ? 'clients' : 'sent';
}
