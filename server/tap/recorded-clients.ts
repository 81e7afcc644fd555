import { byDescending } from '@/lib/collections/compare';
import type { ClientReport } from '@/lib/observation/client-state';
import type { StreamOpened } from '@/lib/observation/observation';
import type { ReportsOf } from '../source-kind/source-kind';
import { maxIdleRows, type RecordedClient } from './recorded-stream';

/** What a new recording thread has to know: the clients with open streams first, then those that may connect again. */
export function* recordedClients(
  streams: Iterable<StreamOpened>,
  reported: ReturnType<ReportsOf>,
): Generator<RecordedClient> {
  const reports = new Map([...reported].map((each) => [each.client.clientId, each]));
  const open = new Map<string, StreamOpened[]>();
  for (const stream of streams) open.set(stream.clientId, [...(open.get(stream.clientId) ?? []), stream]);
  for (const [clientId, [first, ...others]] of open) {
    if (first === undefined) continue;
    const streamIds = [first, ...others].map(({ streamId }) => streamId);
    yield { clientId, node: first.node, streamIds, ...heldIn(reports.get(clientId)?.report) };
    reports.delete(clientId);
  }
  let rowsLeft = maxIdleRows;
  const idle = [...reports.values()].sort(byDescending((each) => each.report.lastChangedAt));
  for (const { client, report } of idle) {
    rowsLeft -= report.resources.size;
    if (rowsLeft < 0) return;
    yield { clientId: client.clientId, node: client.node, streamIds: [], ...heldIn(report) };
  }
}

function heldIn(report: ClientReport | undefined): Pick<RecordedClient, 'rows' | 'typeVersions'> {
  return { rows: [...(report?.resources.values() ?? [])], typeVersions: report?.typeVersions ?? [] };
}
