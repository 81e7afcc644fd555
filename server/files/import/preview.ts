import { nodeOf, readReport } from '../../codec/dump-parser/read-report';
import type { PlannedReport } from '../../codec/dump-parser/report-plan';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { redactObservation } from '../../codec/secrets/redact-observation';
import type { BodyPost } from '../../source-threads/body-post';
import type { FileMessage, FileReport } from './file-messages';
import type { NewestMoment } from './newest-moment';

/** The first elements make a graph, and are read quickly. */
const firstElements = 40;

type PreviewMessage = Extract<FileMessage, { kind: 'preview' }>;

export function fileReportOf(report: PlannedReport, marker: RedactionMarker): FileReport {
  const { scope, label, side } = report;
  return redactObservation({ node: nodeOf(report, marker), scope, label, side }, marker);
}

/**
 * Sends the first resources of the first client once per file, while the file arrives. Only a client with a known node
 * id is sent, which keeps its name when the rest is read. MUTABLE.
 */
export class Preview {
  readonly #marker: RedactionMarker;
  readonly #moment: Pick<NewestMoment, 'soFar'>;
  readonly #bodyPost: BodyPost;
  readonly #send: (message: PreviewMessage, transfer: readonly ArrayBuffer[]) => void;

  #isSent = false;

  constructor(
    marker: RedactionMarker,
    moment: Pick<NewestMoment, 'soFar'>,
    bodyPost: BodyPost,
    send: (message: PreviewMessage, transfer: readonly ArrayBuffer[]) => void,
  ) {
    this.#marker = marker;
    this.#moment = moment;
    this.#bodyPost = bodyPost;
    this.#send = send;
  }

  /** Called after another element of the report was found. */
  update(report: PlannedReport): void {
    if (this.#isSent || report.elementCount < firstElements) return;
    const at = this.#moment.soFar;
    if (report.side !== 'client' || at === null) return;
    const reported = fileReportOf(report, this.#marker);
    if (reported.node.id === '') return;
    this.#isSent = true;
    const elements = report.elements().slice(0, firstElements);
    const batches = [...readReport({ node: report.node, elements: () => elements }, this.#marker)];
    const { bodies, transfer } = this.#bodyPost.pack(batches.flatMap((batch) => batch.bodies));
    const rows = redactObservation(
      batches.flatMap((batch) => batch.rows),
      this.#marker,
    );
    this.#send({ kind: 'preview', at, report: reported, rows, bodies }, transfer);
  }
}
