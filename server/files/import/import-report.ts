import type { ClientConfigChanged, Side } from '@/lib/observation/observation';
import type { ReportedResource } from '../../codec/codec';
import type { ObserveRouted } from '../../observe';
import { sideOf } from '../../poll-diff/compare-answers';
import type { BodyRoute, ReceivedBodies } from '../../source-threads/body-route';
import type { FileMessage, FileReport } from './file-messages';
import type { ImportNames } from './import-names';

export interface ImportReportOptions {
  readonly names: ImportNames;
  readonly observe: ObserveRouted;
  /** Of the thread that reads the file. */
  readonly route: BodyRoute;
  /** Time of the import, which is used if the file has no time. */
  readonly now: number;
}

/** The result of an import of a file that is no recording. */
export interface ImportedReport {
  readonly what: string;
  readonly at: number;
  /** Time of the preview, mostly equal to `at`. */
  readonly from: number;
  readonly observations: number;
  readonly bodies: number;
  readonly resources: number;
  /** Local client ids. */
  readonly clientIds: ReadonlySet<string>;
}

/** Emits the clients of a file as of the newest time in the file. */
export class ReportImporter {
  #reports: readonly FileReport[] = [];
  readonly #sides = new Map<number, Side>();
  readonly #clientIds = new Set<string>();
  readonly #declared = new Set<string>();
  #what = '';
  #at = 0;
  #preview: { readonly at: number; readonly clientId: string } | undefined;
  #counts = { observations: 0, bodies: 0, resources: 0 };

  constructor(private readonly options: ImportReportOptions) {}

  begin({ what, at, reports }: Extract<FileMessage, { kind: 'begin' }>): void {
    this.#what = what;
    this.#at = at ?? this.options.now;
    this.#reports = reports;
  }

  /** The resources are in a batch again, and are counted then. */
  preview({ at, report, rows, bodies }: Extract<FileMessage, { kind: 'preview' }>): void {
    const side = report.side === 'auto' ? 'client' : report.side;
    this.#preview = {
      at,
      clientId: this.#observe(report, side, at, rows, this.options.route.receive(bodies)),
    };
  }

  batch({ report: index, rows, bodies }: Extract<FileMessage, { kind: 'batch' }>): void {
    const report = this.#reports[index];
    if (report === undefined) return;
    const side =
      this.#sides.get(index) ?? (report.side === 'auto' ? (sideOf(rows) ?? 'client') : report.side);
    this.#sides.set(index, side);
    const received = this.options.route.receive(bodies);
    this.#clientIds.add(this.#observe(report, side, this.#at, rows, received));
    this.#counts.observations += 1;
    this.#counts.bodies += received.bodies.length;
    this.#counts.resources += rows.length;
  }

  /** Returns the client's id. */
  #observe(
    report: FileReport,
    side: Side,
    at: number,
    rows: readonly ReportedResource[],
    { bodies, settle }: ReceivedBodies,
  ): string {
    const { names, observe } = this.options;
    // A client's own report and what a control plane sent to it have different sources.
    const id = report.node.id || report.label || names.label;
    const clientId = names.clientId(`${id}\u0000${report.scope}`);
    const theirs = side === 'client' ? 'clients' : 'sent';
    if (!this.#declared.has(theirs)) {
      this.#declared.add(theirs);
      observe({ observation: names.declare(at, theirs, { kind: 'file', target: theirs }), bodies: [] });
    }
    const observation: ClientConfigChanged = {
      kind: 'client-config-changed',
      at,
      vantage: 'dump',
      sourceId: names.sourceOf(theirs),
      clientId,
      side,
      node: { ...report.node, id },
      scope: names.scope(report.scope),
      changed: rows.map((row) => ({ ...row, changedAt: at })),
      removed: [],
    };
    observe({ observation, bodies });
    settle();
    return clientId;
  }

  /** Clients that were emitted so far, including that of the preview. */
  get reportedIds(): ReadonlySet<string> {
    return this.#preview === undefined
      ? this.#clientIds
      : new Set([this.#preview.clientId, ...this.#clientIds]);
  }

  result(): ImportedReport {
    const from = Math.min(this.#at, this.#preview?.at ?? this.#at);
    return { what: this.#what, at: this.#at, from, clientIds: this.#clientIds, ...this.#counts };
  }
}
