import {
  type ClientRejection,
  countOpen,
  type NackGroup,
  nackStates,
  stateOfGroup,
  stateOfRejection,
  timesOf,
} from '../../nacks/nack-group';
import { parseNackText } from '../../nacks/parse-nack-text';
import { statementsOfResource } from '../../nacks/statements-of-resource';
import { formatResourceType } from '../../xds/resource-type';
import type { NackGroupRow } from './schema';

const clientsNamed = 4;
const reasonChars = 300;

/** `field` is the field of the first statement in the payload; empty if it has none, undefined if it is unknown. */
export function buildNackRow(
  group: NackGroup,
  nodeIdOf: (clientId: string) => string,
  field?: string,
): NackGroupRow {
  const rejections = [...group.clients.values()].sort(compareRejections);
  const state = stateOfGroup(group);
  const statements = statementsOfResource(parseNackText(group.text), group);
  const [first] = statements;
  const reports = rejections.flatMap(({ reportedBy }) => [...reportedBy.values()]);
  return {
    id: group.id,
    typeUrl: group.typeUrl,
    service: formatResourceType(group.typeUrl),
    name: group.name,
    state,
    reason: (first?.reason ?? group.text).slice(0, reasonChars),
    statements: statements.length,
    fieldPath: (field ?? first?.fieldPath) || undefined,
    firstAt: group.firstAt,
    lastAt: group.lastAt,
    resolvedAt: state === 'resolved' ? Math.max(...rejections.map(({ ended }) => ended?.at ?? 0)) : undefined,
    times: rejections.reduce((sum, rejection) => sum + timesOf(rejection), 0),
    clients: { total: rejections.length, ...countOpen(group), leftOut: group.clientsLeftOut },
    someClients: rejections
      .slice(0, clientsNamed)
      .map(({ clientId }) => ({ clientId, nodeId: nodeIdOf(clientId) })),
    vantages: [...new Set(reports.map(({ vantage }) => vantage))].sort(),
  };
}

/** Open NACKs first, those of terminated clients after the others; resolved ones last; then the newest first. */
export function compareRejections(a: ClientRejection, b: ClientRejection): number {
  return (
    nackStates.indexOf(stateOfRejection(a)) - nackStates.indexOf(stateOfRejection(b)) ||
    Number(a.gone !== undefined) - Number(b.gone !== undefined) ||
    b.lastAt - a.lastAt ||
    (a.clientId < b.clientId ? -1 : a.clientId > b.clientId ? 1 : 0)
  );
}
