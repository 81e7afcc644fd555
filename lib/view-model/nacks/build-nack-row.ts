import type { NackGroupRow } from '../../api/nacks';
import { formatIsoTime } from '../../format/iso-time';
import { type ClientRejection, type NackGroup, timesOf } from '../../nacks/nack-group';
import { parseNackText } from '../../nacks/parse-nack-text';
import { statementsOfResource } from '../../nacks/statements-of-resource';
import { formatResourceType } from '../../xds/resource-type';

const clientsNamed = 4;
const reasonChars = 300;

export function buildNackRow(group: NackGroup, nodeIdOf: (clientId: string) => string): NackGroupRow {
  const rejections = [...group.clients.values()].sort(compareRejections);
  const open = rejections.filter(({ ended }) => ended === null).length;
  const statements = statementsOfResource(parseNackText(group.text), group);
  const [first] = statements;
  const reports = rejections.flatMap(({ reportedBy }) => [...reportedBy.values()]);
  return {
    id: group.id,
    typeUrl: group.typeUrl,
    service: formatResourceType(group.typeUrl),
    name: group.name,
    state: open > 0 ? 'open' : 'resolved',
    reason: (first?.reason ?? group.text).slice(0, reasonChars),
    statements: statements.length,
    fieldPath: first?.fieldPath ?? null,
    firstAt: formatIsoTime(group.firstAt),
    lastAt: formatIsoTime(group.lastAt),
    resolvedAt: open > 0 ? null : formatIsoTime(Math.max(...rejections.map(({ ended }) => ended?.at ?? 0))),
    times: rejections.reduce((sum, rejection) => sum + timesOf(rejection), 0),
    clients: { total: rejections.length, open, leftOut: group.clientsLeftOut },
    someClients: rejections
      .slice(0, clientsNamed)
      .map(({ clientId }) => ({ clientId, nodeId: nodeIdOf(clientId) })),
    vantages: [...new Set(reports.map(({ vantage }) => vantage))].sort(),
  };
}

/** Open NACKs first, then the newest first. */
export function compareRejections(a: ClientRejection, b: ClientRejection): number {
  return (
    Number(a.ended !== null) - Number(b.ended !== null) ||
    b.lastAt - a.lastAt ||
    (a.clientId < b.clientId ? -1 : a.clientId > b.clientId ? 1 : 0)
  );
}
