import { loadReportMethod } from '@/lib/xds/load-report-method';
import { decodeLoadReport } from '../../lrs/decode-load-report';
import type { LoadLedger } from '../../lrs/load-ledger';
import type { Emit, MessageHandler, OpenedStream, Receipt, Speaker } from '../recorded-stream';

export interface LoadStreamOptions {
  readonly opened: OpenedStream;
  readonly emit: Emit;
  readonly identify: (node: object | null) => Speaker;
  readonly ledger: LoadLedger;
  readonly known: Speaker | null;
  readonly onUnreadable: (reason: string) => void;
}

/** One stream of load reports, read along. */
export class LoadStream implements MessageHandler {
  hadResponse = false;
  #speaker: Speaker | null;
  #isRejected = false;
  /** By the ledger. */
  #isAdmitted = false;

  constructor(private readonly options: LoadStreamOptions) {
    this.#speaker = options.known;
  }

  get speaker(): Speaker | null {
    return this.#isRejected ? null : this.#speaker;
  }

  onRequest(message: Buffer, { at }: Receipt): void {
    const { opened, emit, identify, ledger, onUnreadable } = this.options;
    const report = decodeLoadReport(message);
    if (report.kind === 'malformed') {
      onUnreadable(report.reason);
      return;
    }
    if (this.#isRejected) return;
    const { streamId, server, peer } = opened;
    if (this.#speaker === null) {
      this.#speaker = identify(report.node);
      const { clientId, node } = this.#speaker;
      const rejection = ledger.admitNode(clientId, node);
      if (rejection !== null) {
        this.#isRejected = true;
        onUnreadable(`load reports: ${rejection}`);
        return;
      }
      this.#isAdmitted = true;
      const reported = { clientId, streamId, server, peer, node, scope: '' };
      emit({ kind: 'stream-opened', method: loadReportMethod, ...reported }, at);
    }
    if (report.clusters.length === 0) return;
    const { clientId, node } = this.#speaker;
    const { clusters, overflowed } = ledger.fit(report.clusters);
    if (overflowed > 0)
      onUnreadable('load of more clusters and localities in a report than are kept was added up');
    emit({ kind: 'load-reported', clientId, node, scope: '', streamId, clusters }, at);
  }

  onResponse(): void {
    this.hadResponse = true;
  }

  onGap(): void {}

  onClosed(): void {
    if (this.#isAdmitted && this.#speaker !== null) this.options.ledger.release(this.#speaker.clientId);
  }
}
