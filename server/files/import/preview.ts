import { nodeOf, readReport } from '../../codec/dump-parser/read-report';
import type { PlannedReport } from '../../codec/dump-parser/report-plan';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { packBodies } from '../../source-threads/source-messages';
import type { FileMessage, FileReport } from './file-messages';
import type { NewestMoment } from './newest-moment';

/** So many elements are a picture to begin with, and read in no time. */
const firstElements = 40;

type PreviewMessage = Extract<FileMessage, { kind: 'preview' }>;

export function fileReportOf(report: PlannedReport, marker: RedactionMarker): FileReport {
  const { scope, label, side } = report;
  return { node: nodeOf(report, marker), scope, label, side };
}

/**
 * Reports the first client of a file, and its first resources, while most of the file is still to come: a client whose node
 * is known keeps its name to the end, so that whoever looks at it sees it grow. Once for each file. MUTABLE.
 */
export class Preview {
  #isSent = false;

  constructor(
    private readonly marker: RedactionMarker,
    private readonly moment: Pick<NewestMoment, 'soFar'>,
    private readonly send: (message: PreviewMessage, transfer: readonly ArrayBuffer[]) => void,
  ) {}

  /** One more element of this report has been found. */
  update(report: PlannedReport): void {
    if (this.#isSent || report.elementCount < firstElements) return;
    const at = this.moment.soFar;
    if (report.side !== 'client' || at === null) return;
    const reported = fileReportOf(report, this.marker);
    if (reported.node.id === '') return;
    this.#isSent = true;
    const elements = report.elements().slice(0, firstElements);
    const batches = [...readReport({ elements: () => elements }, this.marker)];
    const bodies = packBodies(batches.flatMap((batch) => batch.bodies));
    const rows = batches.flatMap((batch) => batch.rows);
    this.send({ kind: 'preview', at, report: reported, rows, bodies }, [bodies.bytes]);
  }
}
