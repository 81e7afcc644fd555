import type { NackGroupRow } from '../../api/nacks';
import { formatIsoTime } from '../../format/iso-time';
import { type ClientRefusal, type NackGroup, timesOf } from '../../nacks/nack-group';
import { parseNackText } from '../../nacks/parse-nack-text';
import { statementsOfResource } from '../../nacks/statements-of-resource';
import { formatResourceType } from '../../xds/resource-type';

const clientsNamed = 4;
const reasonChars = 300;

/** A group as a line of the list. */
export function buildNackRow(group: NackGroup, nodeIdOf: (clientId: string) => string): NackGroupRow {
  const refusals = [...group.clients.values()].sort(compareRefusals);
  const open = refusals.filter(({ ended }) => ended === null).length;
  const statements = statementsOfResource(parseNackText(group.text), group);
  const [first] = statements;
  return {
    id: group.id,
    typeUrl: group.typeUrl,
    service: formatResourceType(group.typeUrl),
    name: group.name,
    state: open > 0 ? 'open' : 'mended',
    reason: (first?.reason ?? group.text).slice(0, reasonChars),
    statements: statements.length,
    fieldPath: first?.fieldPath ?? null,
    firstAt: formatIsoTime(group.firstAt),
    lastAt: formatIsoTime(group.lastAt),
    mendedAt: open > 0 ? null : formatIsoTime(Math.max(...refusals.map(({ ended }) => ended?.at ?? 0))),
    times: refusals.reduce((sum, refusal) => sum + timesOf(refusal), 0),
    clients: { total: refusals.length, open, leftOut: group.clientsLeftOut },
    someClients: refusals
      .slice(0, clientsNamed)
      .map(({ clientId }) => ({ clientId, nodeId: nodeIdOf(clientId) })),
    vantages: [
      ...new Set(refusals.flatMap(({ toldBy }) => [...toldBy.values()].map(({ vantage }) => vantage))),
    ].sort(),
  };
}

/** Still refusing first, then by the newest refusal. */
export function compareRefusals(a: ClientRefusal, b: ClientRefusal): number {
  return (
    Number(a.ended !== null) - Number(b.ended !== null) ||
    b.lastAt - a.lastAt ||
    (a.clientId < b.clientId ? -1 : a.clientId > b.clientId ? 1 : 0)
  );
}
