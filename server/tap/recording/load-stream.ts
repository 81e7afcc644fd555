import { loadReportMethod } from '@/lib/xds/load-report-method';
import { decodeLoadReport } from '../../lrs/decode-load-report';
import type { LoadLedger } from '../../lrs/load-ledger';
import type { Emit, MessageHandler, OpenedStream, Receipt, StreamClient } from '../recorded-stream';

export interface LoadStreamOptions {
  readonly opened: OpenedStream;
  readonly emit: Emit;
  readonly readNode: (node: object | null) => StreamClient['node'];
  readonly identify: (node: StreamClient['node'], scope: string) => StreamClient;
  readonly ledger: LoadLedger;
  readonly known: StreamClient | null;
  readonly onUnreadable: (reason: string) => void;
}

export class LoadStream implements MessageHandler {
  readonly #options: LoadStreamOptions;

  hadResponse = false;
  #client: StreamClient | null;
  #isRejected = false;
  #isAdmitted = false;

  constructor(options: LoadStreamOptions) {
    this.#options = options;

    this.#client = options.known;
  }

  get client(): StreamClient | null {
    return this.#isRejected ? null : this.#client;
  }

  onRequest(message: Buffer, { at }: Receipt): void {
    const { opened, emit, readNode, identify, ledger, onUnreadable } = this.#options;
    const report = decodeLoadReport(message);
    if (report.kind === 'malformed') {
      onUnreadable(report.reason);
      return;
    }
    if (this.#isRejected) return;
    const { streamId, server, peer } = opened;
    if (this.#client === null) {
      this.#client = identify(readNode(report.node), '');
      const { clientId, node } = this.#client;
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
    const { clientId, node } = this.#client;
    const { clusters, overflowed } = ledger.fit(report.clusters);
    if (overflowed > 0)
      onUnreadable('the load of clusters and localities beyond the limit of a report was summed');
    emit({ kind: 'load-reported', clientId, node, scope: '', streamId, clusters }, at);
  }

  onResponse(): void {
    this.hadResponse = true;
  }

  onGap(): void {}

  checkAnswers(): boolean {
    return false;
  }

  onClosed(): void {
    if (this.#isAdmitted && this.#client !== null) this.#options.ledger.release(this.#client.clientId);
  }
}
